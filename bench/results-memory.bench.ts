import { startMachine } from './machine.ts';

// `/campaign results` of 100,000 tasks takes only a few times the memory of its file: the bot never holds all rows.

const most = 6;
const tasks = 100_000;

const machine = await startMachine({
  env: { REVIEW_CHANNEL: '', POLL_SECONDS: '3600' },
});
try {
  const { marketplace, slack } = machine;
  await marketplace.reset({
    campaigns: [
      { campaign_id: 'small', title: 'A small one', status: 'RUNNING', tasks: { OK: 100 } },
      {
        campaign_id: 'large',
        title: 'A large one',
        status: 'RUNNING',
        tasks: { OK: tasks / 2, NOK: tasks / 4, NOTRATED: tasks / 4 },
      },
    ],
  });
  const bot = await machine.startBot();
  const ann = slack.person('U01ANN');

  /** Asks for results; the size of their file. */
  async function fileOf(campaign: string, name: RegExp): Promise<number> {
    await ann.types('C01REVIEW', `/campaign results ${campaign}`);
    const { files } = await ann.sees('D01ANN', name, { timeoutMs: 120_000 });
    return files[0]?.size ?? Number.NaN;
  }

  // What the bot needs anyway, and its first file, are no part of it.
  await fileOf('small', /results-A-small-one/);
  const before = await bot.peak();
  const bytes = await fileOf('large', /results-A-large-one/);
  const grown = (await bot.peak()) - before;
  const mb = (size: number) => `${(size / 1024 / 1024).toFixed(0)} MB`;
  console.log(`a file of ${mb(bytes)} for ${tasks.toLocaleString('en')} tasks: memory grew by ${mb(grown)}`);
  console.log(`ratio: ${(grown / bytes).toFixed(2)} times the file (at most ${most})`);
  if (!(grown / bytes <= most)) process.exitCode = 1;
} finally {
  await machine.stop();
}
