import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { liveMessageNames } from '../../src/domain/fault-points.ts';
import { groupBy } from '../../src/domain/group.ts';
import { readArguments } from './arguments.ts';
import { runDefects } from './defects.ts';
import { exercisedLine, notWorthwhile } from './exercised.ts';
import { failoverMain } from './failover.ts';
import { findingsLine, killsWithin, report } from './report.ts';
import { type Outcome, removeLogs, runChaos } from './run.ts';
import { type ChaosSettings, longSettings } from './settings.ts';
import { problemsFound } from './verify.ts';

// The chaos run from the command line: see arguments.ts. The last line counts the findings; if not 0, the exit code is 1.

/** How many findings of each kind are printed; all are in a file beside the logs. */
const printedOfEach = 8;

if (process.argv[2] === '--failover') await failoverMain(process.argv.slice(3));

// Exits explicitly on signals such as Ctrl-C, so that the exit handlers stop Redis.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const wanted = readArguments(process.argv.slice(2));
switch (wanted.do) {
  case 'help':
    (wanted.problem === undefined ? console.log : console.error)(
      [wanted.problem, wanted.help].filter(Boolean).join('\n'),
    );
    process.exit(wanted.problem === undefined ? 0 : 2);
    break;
  case 'defects':
    process.exit((await runDefects(wanted.names, (line) => console.log(line))) ? 0 : 1);
    break;
  default:
    process.exit((await run(wanted.settings, wanted.only)) ? 0 : 1);
}

/** Runs, and prints the findings. Returns whether there are none. */
async function run(settings: ChaosSettings, only?: string): Promise<boolean> {
  console.log(`seed ${settings.seed}`);
  const outcome = await runChaos(settings, (line) => console.log(line), only);
  const problems = problemsFound(outcome.findings);
  console.log(`Exercised: ${exercisedLine(outcome.evidence)}`);
  if (only === undefined && problems.length === 0) problems.push(...notWorthwhile(outcome.evidence));
  if (only === undefined && isComplete(settings) && outcome.days.length === settings.days) {
    problems.push(...notKilledWithin(outcome));
    const text = report(outcome, { node: process.version, cores: availableParallelism(), at: new Date() });
    await writeFile(join(import.meta.dirname, '../../docs/chaos-report.md'), text);
    console.log('The report is in docs/chaos-report.md.');
  }
  for (const line of shortened(problems)) console.log(line);
  if (problems.length === 0) await removeLogs(outcome);
  else {
    await writeFile(join(outcome.logs, 'findings.txt'), `${problems.join('\n')}\n`);
    console.log(`Seed ${settings.seed}, findings and logs in ${outcome.logs}`);
  }
  console.log(findingsLine(outcome.findings));
  return problems.length === 0;
}

/** Returns the first problems of each kind, and the number of further ones. */
function shortened(problems: readonly string[]): string[] {
  const kinds = groupBy(problems, (problem) => problem.split(': ')[0] ?? '');
  return [...kinds].flatMap(([kind, all]) => [
    ...all.slice(0, printedOfEach),
    ...(all.length > printedOfEach ? [`${kind}: and ${all.length - printedOfEach} more`] : []),
  ]);
}

/** Returns whether this is the complete long run, the only one that is written to the report. */
function isComplete(settings: ChaosSettings): boolean {
  return Object.entries(longSettings).every(
    ([name, value]) => settings[name as keyof ChaosSettings] === value,
  );
}

/** Returns the kinds of messages during whose work no process was killed: the long run proves nothing about them. */
function notKilledWithin({ kills }: Outcome): string[] {
  return liveMessageNames
    .filter((name) => killsWithin(kills, name) === 0)
    .map((name) => `no process was killed at a fault point of kind "${name}"`);
}
