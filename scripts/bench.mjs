import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { Failure, main, root, run } from './lib/processes.mjs';

// Runs the benchmarks one after another, against what is shipped (`dist`). Arguments choose those whose names contain one of them; --quick measures at
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
    for (const file of chosen) {
      const name = file.replace('.bench.ts', '');
      console.log(`\n${name}`);
      const figures = join(folder, name);
      const env = { ...process.env, BENCH_FIGURES: figures, ...(isQuick ? { BENCH_QUICK: '1' } : {}) };
      const startedAt = Date.now();
      const { code } = await run(process.execPath, ['--import', 'tsx', join(root, 'bench', file)], {
        show: true,
        env,
      });
      const lines = (await readFile(figures, 'utf8').catch(() => '')).split('\n').filter(Boolean);
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      console.log(`${name}: ${seconds} s`);
      found.push({ name, seconds, isMet: code === 0, figures: lines.map((line) => JSON.parse(line)) });
    }
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

/** Returns docs/performance.md. */
function page(found, { isQuick, minutes }) {
  const memory = `${(totalmem() / 1024 ** 3).toFixed(0)} GB`;
  const rows = found.flatMap(({ figures }) => figures.map(row));
  const others = found.filter(({ figures }) => figures.length === 0);
  return `# Performance

Written by \`npm run bench${isQuick ? ' -- --quick' : ''}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${memory}, in ${minutes.toFixed(0)} minutes.

Each figure is a ratio to what stands beside it, measured in the same run, so that it says the same on another machine.
Where there is a bar, the benchmark fails when it is missed. CPU is the time of the process with its threads, not time on
the clock. ${isQuick ? 'This was the short form: fewer rounds, and the smaller of the sizes.' : 'The short form, with `--quick`, takes fewer rounds and the smaller of the sizes.'}

How long each benchmark took, in seconds: ${found.map(({ name, seconds }) => `${name} ${seconds}`).join(', ')}.

| What | Against | Figure | Bar | |
|---|---|---|---|---|
${rows.join('\n')}

${others.length === 0 ? '' : `Also run, with a result of their own: ${others.map(({ name, isMet }) => `${name} (${isMet ? 'met' : 'missed'})`).join(', ')}.\n`}`;
}

function row({ what, against, value, most, least, measured = '', isMet }) {
  const bar = [most === undefined ? '' : `≤ ${most}`, least === undefined ? '' : `≥ ${least}`]
    .filter(Boolean)
    .join(', ');
  return `| ${what} | ${against} | ${value.toFixed(2)}${isMet ? '' : ' **missed**'} | ${bar || '–'} | ${measured} |`;
}
