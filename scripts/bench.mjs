import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { writePerformance } from './lib/performance-page.mjs';
import { Failure, main, root, run } from './lib/processes.mjs';

/** What a single part of the product does, measured with `--all` or when named. The others measure what every team depends on. */
const ofParts = [
  'bulk-review',
  'durability',
  'evidence',
  'evidence-pictures',
  'evidence-texts',
  'find',
  'focus-review',
  'half-sent-requests',
  'home',
  'page',
  'results-flood',
];

/** Benchmarks that count calls, commands or bytes, or are far from their bars. */
const counting = [
  'evidence-pictures',
  'focus-review',
  'find',
  'many-campaigns',
  'idle-look',
  'bulk-review',
  'results-flood',
  'reading',
  'redis-bytes',
  'production-size',
  'durability',
  'results-memory',
  'home',
  'evidence-texts',
];

/**
 * Benchmarks that run beside each other, the first ones first, `lanes` of them at once; one group after the other. Each of the
 * others measures time, CPU or memory, and has the machine to itself.
 */
const besideEachOther = {
  full: [
    // They wait most of the time, for polls or for Slack's pace. decision-burst posts cards for three minutes, and clicks on
    // them when the others, which need most of the processors, have ended.
    {
      lanes: 3,
      names: ['decision-burst', 'memory-week', 'submission-to-card', 'reads-per-change', 'card-calls'],
    },
    { lanes: 2, names: ['two-processes', 'card-burst'] },
    // Four at once would need more than two processors.
    { lanes: 3, names: counting },
  ],
  quick: [
    {
      lanes: 4,
      names: [
        'decision-burst',
        'memory-week',
        'submission-to-card',
        'two-processes',
        'card-burst',
        'reads-per-change',
        'card-calls',
      ],
    },
    { lanes: 4, names: counting },
  ],
};

// Runs the benchmarks against what is shipped (`dist`). Arguments choose those whose names contain one of them, and --all chooses
// all; --quick measures at smaller sizes. What they measure goes into docs/performance.md.
await main(async () => {
  await setUp();
  const isQuick = process.argv.includes('--quick');
  const isAll = process.argv.includes('--all');
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const all = (await readdir(join(root, 'bench'))).filter((file) => file.endsWith('.bench.ts')).sort();
  const isChosen = (file) =>
    words.length === 0 ? isAll || !ofParts.includes(nameOf(file)) : words.some((word) => file.includes(word));
  const chosen = all.filter(isChosen);
  if (chosen.length === 0) {
    throw new Failure(`No benchmark has such a name. Choose from: ${all.join(', ')}`);
  }
  const built = await run('npm', ['run', '--silent', 'build']);
  if (built.code !== 0) throw new Failure(`The build failed:\n${built.output}`);
  const began = Date.now();
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-bench-'));
  const found = [];
  try {
    const names = chosen.map(nameOf);
    const groups = isQuick ? besideEachOther.quick : besideEachOther.full;
    const shared = groups.flatMap((group) => group.names);
    for (const name of names.filter((one) => !shared.includes(one)))
      found.push(await measure(name, { folder, isQuick, show: true }));
    for (const group of groups) {
      const left = group.names.filter((one) => names.includes(one));
      const measureNext = async () => {
        for (let name = left.shift(); name !== undefined; name = left.shift())
          found.push(await measure(name, { folder, isQuick, show: names.length === 1 }));
      };
      await Promise.all(Array.from({ length: group.lanes }, measureNext));
    }
    found.sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const minutes = (Date.now() - began) / 60_000;
  console.log(`\n${chosen.length} benchmarks in ${minutes.toFixed(1)} minutes`);
  await writePerformance(found, { isQuick, names: all.map(nameOf) });
  const missed = found.filter(({ isMet }) => !isMet).map(({ name }) => name);
  if (missed.length > 0) console.log(`\nBars missed: ${missed.join(', ')}`);
  return missed.length === 0 ? 0 : 1;
});

/** Returns the name of a benchmark. */
function nameOf(file) {
  return file.replace('.bench.ts', '');
}

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
