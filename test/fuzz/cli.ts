import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { entryPoints } from './entry-points.ts';
import { type Finding, fuzz } from './run.ts';

const help = `Sends generated cases to every entry point of the bot and looks for crashes, hangs, wrong answers and secrets.

  npm run fuzz -- [name …] [--cases N] [--seed N]

  name       only the entry points whose name contains it
  --cases N  how many cases each; by default 10,000
  --seed N   the seed of the cases; by default a random one, which is printed`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
});

if (values.help) {
  console.log(help);
} else {
  const cases = Number(values.cases ?? 10_000);
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  const chosen = entryPoints().filter(
    ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
  );
  if (chosen.length === 0 || !Number.isInteger(cases) || !Number.isInteger(seed)) {
    console.error(help);
    process.exit(1);
  }
  console.log(`Seed ${seed}, ${cases} cases each`);
  let findings = 0;
  for (const entry of chosen) {
    const began = performance.now();
    const report = await fuzz(entry, { cases, seed });
    const seconds = Math.round((performance.now() - began) / 1_000);
    const longest = Math.round(report.longestMs);
    console.log(
      `${entry.name}: ${report.cases} cases, seed ${seed}, longest ${longest} ms, ${report.findings.length} findings (${seconds} s)`,
    );
    for (const finding of report.findings) print(finding);
    findings += report.findings.length;
  }
  console.log(`${findings} findings`);
  process.exit(findings === 0 ? 0 : 1);
}

function print({ problem, path, example }: Finding): void {
  console.log(`  ${problem.slice(0, 2_000)}`);
  console.log(`    case ${path ?? '?'}: ${example.slice(0, 1_500)}`);
}
