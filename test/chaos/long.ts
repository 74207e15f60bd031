import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { report } from './report.ts';
import { faultsFound, forget, runChaos } from './run.ts';
import { longSetting, type Setting } from './setting.ts';

// The long run, from the command line: `--seed N`, and any figure of the setting, such as `--tasks 200`.
// An end by Ctrl-C takes Redis with it, as every other end does.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const setting = settingOf(process.argv.slice(2));
const outcome = await runChaos(setting, (line) => console.log(line));
const text = report(outcome, { node: process.version, cores: availableParallelism(), at: new Date() });
const found = faultsFound(outcome.findings);
console.log(text);
for (const each of found) console.log(each);
if (isFull(setting)) await writeFile(join(import.meta.dirname, '../../docs/chaos-report.md'), text);
if (found.length === 0) await forget(outcome);
else console.log(`Logs: ${outcome.logs}`);
process.exit(found.length === 0 ? 0 : 1);

function settingOf(args: readonly string[]): Setting {
  const setting: Record<string, number> = { ...longSetting, seed: Math.floor(Math.random() * 1_000_000) };
  for (let index = 0; index < args.length; index += 2) {
    const name = args[index]?.replace(/^--/, '') ?? '';
    const value = Number(args[index + 1]);
    if (!(name in setting) || !Number.isFinite(value)) {
      console.error(
        `There is no such setting: ${args[index]} ${args[index + 1] ?? ''}. Known: ${Object.keys(setting).join(', ')}.`,
      );
      process.exit(2);
    }
    setting[name] = value;
  }
  return setting as unknown as Setting;
}

/** Only a run of full size is kept as the report. */
function isFull(setting: Setting): boolean {
  return Object.entries(longSetting).every(([name, value]) => setting[name as keyof Setting] === value);
}
