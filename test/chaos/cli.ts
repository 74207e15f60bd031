import { runDefects } from './defects.ts';
import { promises } from './findings.ts';
import { linesOf, runChaos } from './run.ts';

// The chaos run from the command line: `--seed N` repeats a day, `--defects [NAME …]` plants defects in a copy and looks
// whether each is found. Exits with 1 if there is a finding, or a defect is not found.

/** How many findings of each kind are printed; all are in a file beside the logs. */
const printedOfEach = 5;

// Exits explicitly, so that the exit handlers stop Redis.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const [first, ...others] = process.argv.slice(2);
if (first === '--defects') process.exit((await runDefects(others, console.log)) ? 0 : 1);
const seed = first === undefined ? Math.floor(Math.random() * 1_000_000) : Number(others[0]);
if ((first !== undefined && first !== '--seed') || !Number.isInteger(seed)) {
  console.error('npm run chaos [-- --seed N | --defects [NAME …]]');
  process.exit(2);
}
const { findings, deaths, redisKilled, accepted, done, logs } = await runChaos(seed, console.log);
const list = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
console.log(`Bots died: ${list(deaths)}. Redis was killed ${redisKilled} times.`);
console.log(`${accepted} decisions accepted. Acts done: ${list(done)}.`);
for (const promise of promises)
  for (const one of findings[promise].slice(0, printedOfEach)) console.log(`${promise}: ${one}`);
const isFine = linesOf(findings).length === 0;
if (!isFine) console.log(`Seed ${seed}; all findings and the logs are in ${logs}`);
console.log(`Findings: ${promises.map((promise) => `${promise} ${findings[promise].length}`).join(' · ')}`);
process.exit(isFine ? 0 : 1);
