import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { liveMessageNames } from '../../src/domain/fault-points.ts';
import { failoverMain } from './failover.ts';
import { findingsLine, killsWithin, report } from './report.ts';
import { removeLogs, runChaos } from './run.ts';
import { type ChaosSettings, longSettings, shortSettings } from './settings.ts';
import { problemsFound } from './verify.ts';

// The chaos run from the command line: the long form, or with `--short` the short one; `--seed N` and any other setting,
// such as `--tasks 400`, change it. The last line counts the findings; any but 0 make the exit code 1.

if (process.argv[2] === '--failover') await failoverMain(process.argv.slice(3));

// The exit handlers stop Redis, after Ctrl-C too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const settings = readSettings(process.argv.slice(2));
const outcome = await runChaos(settings, (line) => console.log(line));
const problems = problemsFound(outcome.findings);
if (isComplete(settings)) {
  problems.push(...notKilledWithin());
  const text = report(outcome, { node: process.version, cores: availableParallelism(), at: new Date() });
  await writeFile(join(import.meta.dirname, '../../docs/chaos-report.md'), text);
  console.log('The report is in docs/chaos-report.md.');
}
for (const problem of problems) console.log(problem);
if (problems.length === 0) await removeLogs(outcome);
else console.log(`Seed ${settings.seed}, logs in ${outcome.logs}`);
console.log(findingsLine(outcome.findings));
process.exit(problems.length === 0 ? 0 : 1);

function readSettings(args: readonly string[]): ChaosSettings {
  const values = args.filter((argument) => argument !== '--short');
  const form = values.length === args.length ? longSettings : shortSettings;
  const settings: Record<string, number> = { ...form, seed: Math.floor(Math.random() * 1_000_000) };
  for (let index = 0; index < values.length; index += 2) {
    const name = values[index]?.replace(/^--/, '') ?? '';
    const value = Number(values[index + 1]);
    if (!(name in settings) || !Number.isFinite(value)) {
      console.error(
        `There is no such setting: ${values[index]} ${values[index + 1] ?? ''}. Use --short or one of these with a number: ${Object.keys(settings).join(', ')}.`,
      );
      process.exit(2);
    }
    settings[name] = value;
  }
  return settings as unknown as ChaosSettings;
}

/** Whether this is the long run in full: only that one is written to the report. */
function isComplete(settings: ChaosSettings): boolean {
  return Object.entries(longSettings).every(
    ([name, value]) => settings[name as keyof ChaosSettings] === value,
  );
}

/** The long run proves nothing about a kind of message whose work it has not interrupted. */
function notKilledWithin(): string[] {
  return liveMessageNames
    .filter((name) => killsWithin(outcome.kills, name) === 0)
    .map((name) => `no process was killed at a fault point of kind "${name}"`);
}
