import { posix } from 'node:path';

/** A file of the project: its path from the root (`src/…`), and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

interface Import {
  /** A path from the root (`src/…`), or a package or built-in by its bare name. */
  readonly target: string;
  readonly typeOnly: boolean;
}

/** The parts of the project that each part of src may import besides itself. The order of ARCHITECTURE.md, read upwards. */
const mayImport: Record<string, readonly string[]> = {
  domain: [],
  errors: [],
  logger: ['errors'],
  marketplace: ['domain', 'errors'],
  store: ['domain', 'errors', 'logger'],
  jobs: ['store', 'domain', 'errors', 'logger'],
  slack: ['jobs', 'store', 'domain', 'errors', 'logger'],
  ui: ['kit', 'jobs', 'store', 'marketplace', 'slack', 'domain', 'errors', 'logger'],
  kit: ['ui', 'jobs', 'store', 'marketplace', 'slack', 'domain', 'errors', 'logger'],
  features: ['kit', 'ui', 'jobs', 'store', 'marketplace', 'slack', 'domain', 'errors', 'logger'],
  app: ['features', 'kit', 'ui', 'jobs', 'store', 'marketplace', 'slack', 'domain', 'errors', 'logger'],
};

/** Packages without side effects: the only ones that the domain and the views may use. */
const purePackages = new Set(['big.js', 'luxon', 'zod', '@slack/types']);
const slackOrRedis = /^(@slack\/|ioredis$|bullmq$)/;
const mayReadEnvironment = /^src\/(main|doctor)\.ts$|^sandbox\/\w+\/src\/(main|testing\/.*)\.ts$/;
const mostLines = 500;

/** Returns every breach of the import rules in these files as a sentence; empty if there is none. */
export function breaches(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  return files.flatMap((file) => {
    const found = imports.get(file.path) ?? [];
    return [
      ...found.flatMap((each) => breachOfOrder(file.path, each)),
      ...(isPure(file.path) ? impurities(file.path, imports) : []),
      ...breachesOfText(file),
    ];
  });
}

/** Returns every way into or out of a package besides its exports, and what is too long in it, as a sentence. */
export function breachesOfPackages(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const own = packageFolder(file.path);
    const strays = importsOf(file).filter(
      ({ target }) => /^[a-z]+\//.test(target) && packageFolder(target) !== own,
    );
    return [
      ...strays.map(({ target }) => `${file.path} imports ${target}: a package is used by its name`),
      ...(/^(?:sandbox\/\w+|desk)\/src\//.test(file.path) ? breachesOfText(file) : []),
    ];
  });
}

/** `sandbox/slack/src/index.ts` → `sandbox/slack`; undefined outside of the packages. */
const packageFolder = (path: string) => /^(?:sandbox\/\w+|desk(?=\/))/.exec(path)?.[0];

/** What features are made of: it composes them, and others see its type only. */
const modules = 'src/kit/modules.ts';

const insideOfBot = /^src\/(?:store|features|domain|jobs)\/|^ioredis$/;

/** Returns every import of a flow from inside the bot, or of Redis, as a sentence. */
export function reachesInside(flows: readonly SourceFile[]): string[] {
  return flows.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => insideOfBot.test(target))
      .map(({ target }) => `${file.path} imports ${target}: a flow knows what people read and press`),
  );
}

/** Names that nobody sees. The flows that need them send what no button sends (any more). */
const hiddenNames = /\b(?:private_metadata|callback_id|action_id|block_id)\b/;
const drawnAsJson = /\bJSON\.stringify\(\s*[\w.?]*\b(?:blocks|view|raw|state\.values|modals\(\))\s*\)/;
const mayForge = /^test\/flows\/(?:http-requests|commands)\.test\.ts$/;

/** Returns every look of a flow at what no person sees in a message or view, as a sentence. */
export function looksBehind(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('test/flows/') && !mayForge.test(path))
    .flatMap(({ path, text }) =>
      [hiddenNames, drawnAsJson].flatMap((pattern) => {
        const found = pattern.exec(withoutComments(text))?.[0];
        return found === undefined ? [] : [`${path} has ${found}: a flow knows what people read and press`];
      }),
    );
}

/**
 * Returns every import chain from a standalone entry point to vitest, because importing vitest fails outside a test
 * run.
 */
export function reachesVitest(entries: readonly string[], files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  return entries.flatMap((entry) => chains(entry, imports, (target) => target === 'vitest'));
}

/** Returns whether a file must be pure: views and the domain may import values only from code without side effects. */
const isPure = (path: string): boolean => partOf(path) === 'domain' || /\.view\.tsx?$/.test(path);

function breachOfOrder(path: string, { target, typeOnly }: Import): string[] {
  const from = path === modules ? 'app' : partOf(path);
  if (target === modules && from !== 'app')
    return typeOnly ? [] : [`${path} imports ${target}: others see its type only`];
  if (/^(gallery|test|bench|scripts|examples)\//.test(target))
    return [`${path} imports ${target}: the program needs no tool`];
  if (target.startsWith('@proofdesk/') && target !== '@proofdesk/desk')
    return [`${path} imports ${target}: nothing in the bot imports the sandboxes`];
  if (!target.startsWith('src/')) {
    return from === 'marketplace' && slackOrRedis.test(target)
      ? [`${path} imports ${target}: the marketplace client knows no Slack and no Redis`]
      : [];
  }
  const to = partOf(target);
  const isAnother = from === 'features' && to === 'features' && featureOf(path) !== featureOf(target);
  if (isAnother && !target.endsWith('/public.ts')) {
    return [`${path} imports ${target}: of another feature, only its public.ts`];
  }
  if (/\.view\.tsx?$/.test(path) && !typeOnly && (to === 'store' || to === 'jobs'))
    return [`${path} imports ${target}: a view takes data and gives blocks`];
  const allowed = mayImport[from];
  return allowed === undefined || from === to || allowed.includes(to)
    ? []
    : [`${path} imports ${target}: ${from} may import ${allowed.join(', ') || 'nothing of the project'}`];
}

/** Follows value imports from a pure file to code with side effects. Returns one path to each. */
function impurities(path: string, imports: ReadonlyMap<string, readonly Import[]>): string[] {
  const found = chains(path, imports, (target) => !purePackages.has(target));
  return found.map((chain) => `${chain}: ${path} must be pure`);
}

/** Returns the chains of value imports from a file to each package that counts, one chain per package. */
function chains(
  path: string,
  imports: ReadonlyMap<string, readonly Import[]>,
  counts: (target: string) => boolean,
): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const visit = (chain: readonly string[]): void => {
    for (const { target, typeOnly } of imports.get(chain.at(-1) ?? '') ?? []) {
      if (typeOnly || seen.has(target)) continue;
      seen.add(target);
      if (/^(src|test|bench|scripts)\//.test(target)) {
        visit([...chain, target]);
      } else if (counts(target)) {
        found.push([...chain, target].join(' → '));
      }
    }
  };
  visit([path]);
  return found;
}

function breachesOfText({ path, text }: SourceFile): string[] {
  const lines = text.trimEnd().split('\n').length;
  return [
    ...(/\bprocess\s*\.\s*env\b|\benv\b[^;\n]*from 'node:process'/.test(withoutComments(text)) &&
    !mayReadEnvironment.test(path)
      ? [`${path} reads the environment: only the entry points do`]
      : []),
    ...(lines > mostLines ? [`${path} has ${lines} lines: split it by meaning (at most ${mostLines})`] : []),
  ];
}

/** `src/store/tasks.ts` → `store`; `src/logger.ts` → `logger`. */
const partOf = (path: string): string => (path.split('/')[1] ?? '').replace(/\.tsx?$/, '');

/** `src/features/cards/index.ts` → `cards`. */
const featureOf = (path: string): string => path.split('/')[2] ?? '';

const clause = /\b(import|export)\s+(?:(type)\s+)?(?:([\w*\s{},$]+?)\s+from\s+)?(['"])([^'"\n]+)\4/g;
const dynamic = /\bimport\s*\(\s*(['"])([^'"\n]+)\1/g;

/** Returns the imports and re-exports of a file, including dynamic imports. */
function importsOf({ path, text }: SourceFile): Import[] {
  const code = withoutComments(text);
  const resolved = (specifier: string): string =>
    specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : packageOf(specifier);
  return [
    ...[...code.matchAll(clause)].map(([, , type, names, , specifier]) => ({
      target: resolved(specifier ?? ''),
      typeOnly: type !== undefined || onlyTypes(names),
    })),
    ...[...code.matchAll(dynamic)].map(([, , specifier]) => ({
      target: resolved(specifier ?? ''),
      typeOnly: false,
    })),
  ];
}

/** Returns whether all names are types: `{ type A, type B }`. Plain `{ A }` could be either, and counts as a value. */
function onlyTypes(names: string | undefined): boolean {
  const inside = /^\{([^}]*)\}$/.exec(names?.trim() ?? '')?.[1]?.trim();
  return inside ? inside.split(',').every((name) => /^\s*(type\s|$)/.test(name)) : false;
}

/** `@slack/bolt/dist/x` → `@slack/bolt`; `node:fs/promises` stays. */
function packageOf(specifier: string): string {
  return specifier.startsWith('node:')
    ? specifier
    : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Removes comments on separate lines, because they contain examples of imports. */
function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '');
}
