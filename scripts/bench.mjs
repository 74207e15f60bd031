import { readdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { Failure, main, root, run } from './lib/processes.mjs';

// Runs the benchmarks one after another, against what is shipped (`dist`). Words choose those whose names contain one of them;
// `--quick` measures less of each. All of them, not quick, write docs/performance.md.
await main(async () => {
  await setUp();
  const isQuick = process.argv.includes('--quick');
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const all = (await readdir(join(root, 'bench'))).filter((file) => file.endsWith('.bench.ts')).sort();
  const chosen = all.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  if (chosen.length === 0) {
    throw new Failure(`No benchmark has such a name. Choose from: ${all.join(', ')}`);
  }
  const built = await run('npm', ['run', '--silent', 'build']);
  if (built.code !== 0) throw new Failure(`The build failed:\n${built.output}`);
  const began = Date.now();
  const sections = [];
  let failed = 0;
  for (const file of chosen) {
    const name = file.replace('.bench.ts', '');
    console.log(`\n${name}`);
    const args = ['--import', 'tsx', join(root, 'bench', file), ...(isQuick ? ['--quick'] : [])];
    const { code, output } = await run(process.execPath, args, { show: true });
    failed += code === 0 ? 0 : 1;
    sections.push({ name, code, lines: output.split('\n').filter((line) => line.trim() !== '') });
  }
  const minutes = (Date.now() - began) / 60_000;
  console.log(`\n${chosen.length} benchmarks in ${minutes.toFixed(1)} minutes, ${failed} failed`);
  if (words.length === 0 && !isQuick) {
    await writeFile(join(root, 'docs/performance.md'), page(sections, minutes));
  }
  return failed === 0 ? 0 : 1;
});

/** Returns the page of all figures. */
function page(sections, minutes) {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `# Performance

Written by \`npm run bench\` on ${date}, in ${minutes.toFixed(0)} minutes, on ${availableParallelism()} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GB, Node ${process.versions.node}. Do not edit.

Each line with a bar is a ratio or a count that was measured in one run, against a peer or a limit of the same run: compare
the ratios between machines, not the times. \`MISSED\` fails the command. What is measured is what is shipped: \`dist\`, with its
flags and limits, against the sandboxes on the same machine, all of them sharing its cores.

${sections.map(section).join('\n')}`;
}

function section({ name, code, lines }) {
  const ended = code === 0 ? '' : `\nIt ended with code ${code}.\n`;
  return `## ${name}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n${ended}`;
}
