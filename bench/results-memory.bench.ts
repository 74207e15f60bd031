import { startMachine } from './machine.ts';
import { megabytes, report } from './report.ts';

// `/campaign results` of 100,000 tasks never holds the file, without any limit of the heap but what ships.

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

  /** Asks for results; the size of their file. */
  async function fileOf(campaign: string, name: RegExp): Promise<number> {
    await ann.types('C01REVIEW', `/campaign results ${campaign}`);
    const { files } = await ann.sees('D01ANN', name, { timeoutMs: 120_000 });
    return files[0]?.size ?? Number.NaN;
  }

  // What the bot needs anyway, and its first file, are no part of it.
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
