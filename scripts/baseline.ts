/**
 * Compares what people see and what is stored with the baseline in test/baseline, and prints the difference: every gallery
 * entry, the form of all data in Redis, and every message, modal and home tab that the flows see. Ends with code 1 if there
 * is any.
 *
 * `npm run baseline` compares all of it, `npm run baseline -- gallery stored` only what takes seconds. `--write` makes today's
 * state the baseline; `--write --runs 3` runs the flows three times and marks with ~ what only some of the runs showed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { outline } from '../test/harness/view-outline.ts';

const root = join(import.meta.dirname, '..');

/** Entries are drawn at this moment. */
const moment = Date.parse('2026-03-02T10:00:00Z');

/** What is drawn: the entry of the baseline, beginning with its title, and the outline to print when it is new. */
type Views = ReadonlyMap<string, { readonly full: string; readonly always: boolean }>;

const { values: options, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false }, runs: { type: 'string', default: '1' } },
  allowPositionals: true,
});

const parts = positionals.length > 0 ? positionals : ['gallery', 'stored', 'flows'];
let differences = 0;
for (const part of parts) {
  const drawn =
    part === 'flows'
      ? await flows(Number(options.runs))
      : await atMoment(part === 'stored' ? stored : gallery);
  const file = join(root, `test/baseline/${part}.txt`);
  if (options.write) await writeFile(file, formatted(drawn));
  else differences += await compared(part, file, drawn);
}
process.exitCode = differences === 0 ? 0 : 1;

/** Draws each entry of the gallery. */
async function gallery(): Promise<string[]> {
  const { entries } = await import('../gallery/entries/index.ts');
  return entries.map(({ feature, title, make }) => `${feature}: ${title}\n${outline(make())}`);
}

/** Returns what is stored, and what is read from that. */
async function stored(): Promise<string[]> {
  const { storedData } = await import('./stored-data.ts');
  return storedData(moment);
}

/** Draws at the same moment each time. */
async function atMoment(draw: () => Promise<string[]>): Promise<Views> {
  const realNow = Date.now;
  Date.now = () => moment;
  const drawn = await draw();
  Date.now = realNow;
  return new Map(drawn.map((full) => [full, { full, always: true }]));
}

/** Runs the flows, and returns every view that was sent to Slack meanwhile, each by its hash and first line. */
async function flows(runs: number): Promise<Views> {
  const seen = new Map<string, number>();
  for (let at = 0; at < runs; at += 1) {
    const folder = await mkdtemp(join(tmpdir(), 'proofdesk-baseline-'));
    try {
      const env = { ...process.env, BASELINE: folder };
      const { status } = spawnSync(process.execPath, ['scripts/test.mjs', 'test/flows'], {
        cwd: root,
        stdio: 'inherit',
        env,
      });
      if (status !== 0) console.log('Some flows failed, so what they would have shown is missing below.');
      for (const view of await recorded(folder)) seen.set(view, (seen.get(view) ?? 0) + 1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return new Map([...seen].map(([full, times]) => [titled(full), { full, always: times === runs }]));
}

/** Returns the distinct views that test/harness/view-recorder.ts has written. */
async function recorded(folder: string): Promise<Set<string>> {
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return new Set(
    texts.flatMap((text) => text.split('\n').filter(Boolean)).map((line) => JSON.parse(line) as string),
  );
}

/** There are thousands, so the baseline holds no more of each than is needed to recognize it. */
function titled(view: string): string {
  const [method = '', first = ''] = view.split('\n');
  const hash = createHash('sha256').update(view).digest('hex').slice(0, 8);
  return `${method} ${hash} ${first.slice(0, 140)}`;
}

function formatted(views: Views): string {
  const entries = [...views].map(([view, { always }]) => `${always ? '=' : '~'} ${view}\n`);
  return entries.sort().join(entries.some((entry) => entry.split('\n').length > 2) ? '\n' : '');
}

/** Prints what is missing and what is new, and returns how many there are. */
async function compared(part: string, file: string, drawn: Views): Promise<number> {
  const known = (await readFile(file, 'utf8')).split(/\n+(?=[=~] )/).map((one) => one.trimEnd());
  const always = known.filter((one) => one.startsWith('=')).map((one) => one.slice(2));
  const all = new Set(known.map((one) => one.slice(2)));
  const current = new Map([...drawn].map(([view, { full }]) => [view.trimEnd(), full]));
  const gone = always.filter((view) => !current.has(view)).sort();
  const added = [...current]
    .filter(([view]) => !all.has(view))
    .map(([, full]) => full)
    .sort();
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-baseline-'));
  await writeFile(join(folder, 'before'), `${gone.join('\n\n')}\n`);
  await writeFile(join(folder, 'now'), `${added.join('\n\n')}\n`);
  spawnSync('git', ['--no-pager', 'diff', '--no-index', '--no-color', '-U20', 'before', 'now'], {
    cwd: folder,
    stdio: 'inherit',
  });
  await rm(folder, { recursive: true, force: true });
  console.log(`${part}: ${current.size} views, ${gone.length} no longer there, ${added.length} new`);
  return gone.length + added.length;
}
