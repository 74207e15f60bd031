import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** An exported function that draws: what it gives is a message, a modal or a home tab, or holds one. */
export interface ViewFunction {
  /** From the project's root. */
  readonly path: string;
  readonly name: string;
  readonly returns: string;
}

/** The pieces of which views are made; what they give is no whole view. */
const pieces = new Set(['src/slack/blocks.ts']);

const drawn = /\b(Message|ModalView|HomeView)\b/;
const drawnField = /^\s*(?:readonly )?\w+\??: (Message|ModalView|HomeView)\b/m;

/** Returns every exported function of the bot that draws, by the types in the sources. */
export function viewFunctions(): ViewFunction[] {
  return ['src/slack', 'src/features']
    .flatMap(filesIn)
    .filter((path) => !pieces.has(path))
    .flatMap((path) => viewsIn(path, readFileSync(join(root, path), 'utf8')));
}

/** Returns the functions of one file that draw. Throws when a view's type cannot be told. */
function viewsIn(path: string, text: string): ViewFunction[] {
  return [
    ...text.matchAll(/^export (?:async )?(?:function (\w+)|const (\w+) = (?:async )?(?=\())/gm),
  ].flatMap((match) => {
    const name = match[1] ?? match[2] ?? '';
    const returns = returnTypeAt(text, match.index + match[0].length);
    if (returns === undefined) {
      if (path.endsWith('.view.ts')) throw new Error(`${path}: ${name} does not say what it returns`);
      return [];
    }
    return isDrawn(returns, text) ? [{ path, name, returns }] : [];
  });
}

/** What is promised is made by other views, which are exported themselves. */
function isDrawn(returns: string, text: string): boolean {
  if (returns.startsWith('Promise<')) return false;
  return drawn.test(returns) || drawnField.test(declarationOf(returns, text));
}

/** The body of an interface or type of the same file. */
function declarationOf(name: string, text: string): string {
  if (!/^\w+$/.test(name)) return '';
  return new RegExp(`^export (?:interface|type) ${name}\\b[\\s\\S]*?^}`, 'm').exec(text)?.[0] ?? '';
}

/** The type after the parameters that begin at or after a place: `(…): Type {` or `(…): Type =>`. */
function returnTypeAt(text: string, from: number): string | undefined {
  const end = closingParenthesis(text, text.indexOf('(', from));
  return /^\)\s*:\s*([\s\S]+?)\s*(?:=>|\{\n|\{$)/.exec(text.slice(end, end + 400))?.[1];
}

function closingParenthesis(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .sort();
}
