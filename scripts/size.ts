/** Prints the measures of the code base: lines and files by folder, Lua, the files that each journey runs, words, tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import config from '../rolldown.config.ts';
import { type Journey, measureJourneys } from './lib/journeys.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const linesIn = (text: string) => text.split('\n').length - 1;
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** Returns the bot's own files, wherever they lie: those of its bundle's module graph, without packages. */
async function botFiles(): Promise<string[]> {
  const bundle = await rolldown(config);
  try {
    const { output } = await bundle.generate({ ...config.output });
    const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    const own = modules.map((id) => relative(root, id)).filter((path) => isOwn(path));
    // Files of types alone leave no module behind, and are part of the bot all the same.
    const all = filesIn('src', /\.(ts|lua)$/);
    return [...new Set([...own, ...all])].sort();
  } finally {
    await bundle.close();
  }
}

const isOwn = (path: string) =>
  !path.startsWith('..') && !path.includes('node_modules') && !path.includes('\0');

function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => name.test(path) && !path.includes('/node_modules/'));
}

/** Returns the lines of Lua in `.lua` files and in strings that call Redis. */
function lua(files: readonly string[]): string {
  const scripts = files.filter((path) => path.endsWith('.lua'));
  const strings = files.flatMap((path) =>
    [...read(path).matchAll(/`[^`]*`/g)]
      .map(([text]) => text)
      .filter((text) => /redis\.call|KEYS\[|ARGV\[/.test(text)),
  );
  const inFiles = sum(scripts.map((path) => linesIn(read(path))));
  return `${inFiles} in ${scripts.length} .lua files, ${sum(strings.map(linesIn))} in ${strings.length} strings`;
}

/** Returns how many modules features are made of, and how many members the largest one has by name. */
function modules(): string {
  const text = read('src/kit/modules.ts');
  const names = /^ {2}return \{ ([\w, ]+) \};$/m.exec(text)?.[1]?.split(', ') ?? [];
  const sizes = names.map((name) => {
    const [, members = ''] =
      new RegExp(`^ {2}const ${name} = \\{\\n([\\s\\S]*?)^ {2}\\};`, 'm').exec(text) ?? [];
    return [...members.matchAll(/^ {4}[.\w]+[,:(]/gm)].length;
  });
  return `${names.length}, the largest of ${Math.max(...sizes)} members`;
}

function words(paths: readonly string[]): string {
  return String(sum(paths.map((path) => read(path).split(/\s+/).filter(Boolean).length)));
}

const files = await botFiles();
const inFolder = (test: (path: string) => boolean): string => {
  const found = files.filter(test);
  return `${sum(found.map((path) => linesIn(read(path))))} lines, ${found.length} files`;
};
const under = (folder: string) => (path: string) => path.startsWith(`src/${folder}/`);
const rooms = ['features', 'store', 'domain', 'marketplace', 'slack', 'jobs', 'kit', 'ui'];
const tests = filesIn('test', /\.(ts|tsx|mjs|js)$/);
const documents = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...filesIn('docs', /\.md$/)];

const rows: [string, string][] = [
  ['bot', inFolder(() => true)],
  ...rooms.map((room): [string, string] => [room, inFolder(under(room))]),
  ['root, config, doctor', inFolder((path) => !rooms.some((room) => under(room)(path)))],
  ['files under 40 lines', String(files.filter((path) => linesIn(read(path)) < 40).length)],
  ['Lua', lua(files)],
  ['modules', modules()],
  ['tests', `${sum(tests.map((path) => linesIn(read(path))))} lines, ${tests.length} files`],
  ['documents', `${words(documents)} words, ${filesIn('docs/adr', /\.md$/).length} ADRs`],
];
const journeys: [string, Journey][] = process.argv.includes('--quick') ? [] : await measureJourneys(files);
for (const [title, { files: stops }] of journeys) rows.push([`journey: ${title}`, `${stops.length} files`]);

const width = Math.max(...rows.map(([title]) => title.length));
for (const [title, value] of rows) console.log(`${title.padEnd(width)}  ${value}`);
if (process.argv.includes('--stops'))
  for (const [title, { files: stops }] of journeys) console.log(`\n${title}\n  ${stops.join('\n  ')}`);
process.exit(0);
