import { parseArgs } from 'node:util';
import { runDefects } from './defects.ts';
import { promises } from './findings.ts';
import { losses } from './kills.ts';
import { linesOf, runChaos } from './run.ts';

// The chaos run from the command line: one day, the short form (`--short`); `--seed N` repeats a day; in place of the day,
// `--kills N --redis everysec` lets N things fail one after the other. `--defects [NAME …]` plants defects in a copy and looks
// whether each is found. Exits with 1 if there is a finding, or a defect is not found.

/** How many findings of each kind are printed; all are in a file beside the logs. */
const printedOfEach = 5;

// Exits explicitly, so that the exit handlers stop Redis.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    kills: { type: 'string', default: '0' },
    redis: { type: 'string', default: 'always' },
    defects: { type: 'boolean' },
  },
});
if (values.defects) process.exit((await runDefects(positionals, console.log)) ? 0 : 1);
const [seed, count] = [Number(values.seed), Number(values.kills)];
const loss = losses.find((name) => name === values.redis);
if (positionals.length > 0 || !Number.isInteger(seed) || !Number.isInteger(count) || loss === undefined) {
  console.error(
    `npm run chaos [-- --short | --seed N | --kills N --redis ${losses.join('|')} | --defects [NAME …]]`,
  );
  process.exit(2);
}
const outcome = await runChaos(seed, console.log, count > 0 ? { loss, count } : undefined);
const { findings, deaths, accepted, askedAgain, usableAfter, done, logs } = outcome;
const list = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
const seconds = usableAfter.map((ms) => (ms / 1_000).toFixed(1)).join(', ');
console.log(count === 0 ? `Bots died: ${list(deaths)}.` : `The next decision after ${seconds} s.`);
console.log(`${accepted} decisions accepted, ${askedAgain.length} of them lost and asked again.`);
console.log(`Acts done: ${list(done)}.`);
for (const promise of promises)
  for (const one of findings[promise].slice(0, printedOfEach)) console.log(`${promise}: ${one}`);
const isFine = linesOf(findings).length === 0;
if (!isFine) console.log(`Seed ${seed}; all findings and the logs are in ${logs}`);
console.log(`Findings: ${promises.map((promise) => `${promise} ${findings[promise].length}`).join(' · ')}`);
process.exit(isFine ? 0 : 1);
