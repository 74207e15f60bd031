import { startMachine } from './machine.ts';
import { megabytes, report } from './report.ts';

// `/campaign results` of 100,000 tasks must never hold the whole file in memory; the heap has only the shipped limit.

const most = 1.5;
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

  /** Requests results. Returns the size of their file. */
  async function fileOf(campaign: string, name: RegExp): Promise<number> {
    await ann.types('C01REVIEW', `/campaign results ${campaign}`);
    const { files } = await ann.sees('D01ANN', name, { timeoutMs: 120_000 });
    return files[0]?.size ?? Number.NaN;
  }

  // Excludes the bot's base memory and that of the first file.
  await fileOf('small', /results-A-small-one/);
  const before = await bot.resident();
  const bytes = await fileOf('large', /results-A-large-one/);
  const grown = (await bot.peak()) - before;
  report({
    what: `Peak memory while exporting ${tasks.toLocaleString('en')} rows, beyond idle`,
    against: 'the file',
    value: grown / bytes,
    most,
    measured: `${megabytes(grown)}, a file of ${megabytes(bytes)}`,
  });
} finally {
  await machine.stop();
}
