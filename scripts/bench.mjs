import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { Failure, main, root, run } from './lib/processes.mjs';

/** Benchmarks that measure CPU or delays: each has the machine to itself. The others wait or count, three beside each other. */
const alone = ['accounts', 'ack', 'desk', 'evidence', 'reading'];
/** The longest of the others, which are begun first, the last of these before the rest. */
const longest = ['start', 'decision-burst', 'card-burst', 'submission-to-card', 'focus-review'];

// Runs the benchmarks against what is shipped (`dist`), and prints one table. Arguments choose those whose names contain one of
// them; --quick measures at smaller sizes. Fails when a bar is missed.
await main(async () => {
  await setUp();
  const isQuick = process.argv.includes('--quick');
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const all = (await readdir(join(root, 'bench')))
    .filter((file) => file.endsWith('.bench.ts'))
    .map((file) => file.replace('.bench.ts', ''));
  const chosen = all.filter((name) => words.length === 0 || words.some((word) => name.includes(word))).sort();
  if (chosen.length === 0) throw new Failure(`No benchmark has such a name. Choose from: ${all.join(', ')}`);
  const built = await run('npm', ['run', '--silent', 'build']);
  if (built.code !== 0) throw new Failure(`The build failed:\n${built.output}`);
  const began = Date.now();
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-bench-'));
  const found = [];
  try {
    for (const name of chosen.filter((one) => alone.includes(one)))
      found.push(await measure(name, folder, isQuick));
    const left = chosen
      .filter((one) => !alone.includes(one))
      .sort((a, b) => longest.indexOf(b) - longest.indexOf(a));
    const measureNext = async () => {
      for (let name = left.shift(); name !== undefined; name = left.shift())
        found.push(await measure(name, folder, isQuick));
    };
    await Promise.all(Array.from({ length: 3 }, measureNext));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log(
    `\n${table(found.flatMap(({ name, figures }) => figures.map((figure) => ({ name, ...figure }))))}`,
  );
  console.log(`\n${chosen.length} benchmarks in ${((Date.now() - began) / 60_000).toFixed(1)} minutes`);
  const missed = found.filter(({ isMet }) => !isMet).map(({ name }) => name);
  if (missed.length > 0) console.log(`Bars missed: ${missed.join(', ')}`);
  return missed.length === 0 ? 0 : 1;
});

/** Runs a benchmark, prints what it says when it has ended, and returns the figures that it has reported. */
async function measure(name, folder, isQuick) {
  const figures = join(folder, name);
  const env = { ...process.env, BENCH_FIGURES: figures, ...(isQuick ? { BENCH_QUICK: '1' } : {}) };
  const args = ['--import', 'tsx', join(root, 'bench', `${name}.bench.ts`)];
  const startedAt = Date.now();
  const { code, output } = await run(process.execPath, args, { env });
  console.log(`\n${name}: ${Math.round((Date.now() - startedAt) / 1_000)} s\n${output}`);
  const lines = (await readFile(figures, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return { name, isMet: code === 0, figures: lines.map((line) => JSON.parse(line)) };
}

/** Returns a line per figure, in columns. */
function table(figures) {
  const rows = figures.map(({ name, what, against, value, most, least, isMet }) => [
    name,
    `${what} (${against})`,
    value.toFixed(2),
    most === undefined ? (least === undefined ? '' : `≥ ${least}`) : `≤ ${most}`,
    isMet ? '' : 'missed',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
