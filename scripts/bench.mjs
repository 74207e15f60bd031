import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { Failure, main, root, run } from './lib/processes.mjs';

/**
 * Benchmarks that count calls, commands, bytes or what is found, or that wait most of the time, the longest first: `lanes` of
 * them run at once. Each of the others measures time or memory and has the machine to itself.
 */
const sideBySide = [
  'decision-burst',
  'memory-week',
  'evidence-pictures',
  'card-burst',
  'focus-review',
  'reads-per-change',
  'results-flood',
  'card-calls',
  'bulk-review',
  'redis-bytes',
  'production-size',
  'home',
];
const lanes = 3;

// Runs the benchmarks against what is shipped (`dist`). Arguments choose those whose names contain one of them; --quick measures at
// smaller sizes. A run of all of them writes docs/performance.md.
await main(async () => {
  await setUp();
  const isQuick = process.argv.includes('--quick');
  const words = process.argv.slice(2).filter((word) => word !== '--quick');
  const all = (await readdir(join(root, 'bench'))).filter((file) => file.endsWith('.bench.ts')).sort();
  const chosen = all.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  if (chosen.length === 0) {
    throw new Failure(`No benchmark has such a name. Choose from: ${all.join(', ')}`);
  }
  const built = await run('npm', ['run', '--silent', 'build']);
  if (built.code !== 0) throw new Failure(`The build failed:\n${built.output}`);
  const began = Date.now();
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-bench-'));
  const found = [];
  try {
    const names = chosen.map((file) => file.replace('.bench.ts', ''));
    for (const name of names.filter((one) => !sideBySide.includes(one)))
      found.push(await measure(name, { folder, isQuick, show: true }));
    const left = sideBySide.filter((one) => names.includes(one));
    const measureNext = async () => {
      for (let name = left.shift(); name !== undefined; name = left.shift())
        found.push(await measure(name, { folder, isQuick, show: names.length === 1 }));
    };
    await Promise.all(Array.from({ length: lanes }, measureNext));
    found.sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const minutes = (Date.now() - began) / 60_000;
  console.log(`\n${chosen.length} benchmarks in ${minutes.toFixed(1)} minutes`);
  if (words.length === 0)
    await writeFile(join(root, 'docs/performance.md'), page(found, { isQuick, minutes }));
  const missed = found.filter(({ isMet }) => !isMet).map(({ name }) => name);
  if (missed.length > 0) console.log(`\nBars missed: ${missed.join(', ')}`);
  return missed.length === 0 ? 0 : 1;
});

/**
 * Runs a benchmark.
 *
 * @param {{ folder: string, isQuick: boolean, show: boolean }} options `folder`: where its figures are collected. `show`: prints
 *   what it says as it comes, otherwise when it has ended.
 */
async function measure(name, { folder, isQuick, show }) {
  const figures = join(folder, name);
  const env = { ...process.env, BENCH_FIGURES: figures, ...(isQuick ? { BENCH_QUICK: '1' } : {}) };
  const startedAt = Date.now();
  if (show) console.log(`\n${name}`);
  const program = join(root, 'bench', `${name}.bench.ts`);
  // Some measure in their own process what the bot does in its own.
  const args = [...(await botFlags()), '--import', 'tsx', program];
  const { code, output } = await run(process.execPath, args, { show, env });
  if (!show) console.log(`\n${name}\n${output}`);
  const lines = (await readFile(figures, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  console.log(`${name}: ${seconds} s`);
  return { name, seconds, isMet: code === 0, figures: lines.map((line) => JSON.parse(line)) };
}

/** Returns the flags that `npm start` and the image give to Node. */
async function botFlags() {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return scripts.start.match(/--\S+/g) ?? [];
}

/** Returns docs/performance.md. */
function page(found, { isQuick, minutes }) {
  const memory = `${(totalmem() / 1024 ** 3).toFixed(0)} GB`;
  const rows = found.flatMap(({ figures }) => figures.map(row));
  return `# Performance

Written by \`npm run bench${isQuick ? ' -- --quick' : ''}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${memory}, in ${minutes.toFixed(0)} minutes.

Each figure is a ratio to what stands beside it, measured in the same run, so that it says the same on another machine.
Where there is a bar, the benchmark fails when it is missed. CPU is the time of the process with its threads, not time on
the clock. Benchmarks that count instead of measuring time run side by side. ${isQuick ? 'This was the short form: fewer rounds and the smaller of the sizes.' : 'The short form, with `--quick`, takes fewer rounds and the smaller of the sizes.'}

How long each benchmark took, in seconds: ${found.map(({ name, seconds }) => `${name} ${seconds}`).join(', ')}.

| What | Against | Figure | Bar | |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function row({ what, against, value, most, least, measured = '', isMet }) {
  const bar = [most === undefined ? '' : `≤ ${most}`, least === undefined ? '' : `≥ ${least}`]
    .filter(Boolean)
    .join(', ');
  return `| ${what} | ${against} | ${value.toFixed(2)}${isMet ? '' : ' **missed**'} | ${bar || '–'} | ${measured} |`;
}
