import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Drawn, GalleryEntry } from '../../gallery/entry.ts';

const features = join(import.meta.dirname, '../../src/features');

/** The parameters, and the fields, that carry words of workers, employers, colleagues or the marketplace. */
const suppliedParameters = new Set(['title', 'titles', 'campaignTitle', 'query']);
const suppliedFields = new Set([
  ...suppliedParameters,
  ...['name', 'names', 'country', 'ip', 'username', 'messageType', 'subject', 'body', 'comment', 'text'],
  ...['slots', 'proof', 'proofs', 'work', 'row', 'rows', 'columns', 'employerComment', 'reasons', 'answer'],
  ...['filename', 'contentType', 'filesWarning'],
]);
/** What these fields hold are sentences and dates of the bot. */
const ownFields = new Set(['problem', 'problems', 'days']);

type View = (...args: unknown[]) => unknown;

/**
 * Makes every view and wording able to show a text in place of all that it is given from outside. A view that another one
 * calls gets what that one passes.
 */
export async function startHostileViews() {
  let text: string | undefined;
  const files = readdirSync(features, { recursive: true, encoding: 'utf8' });
  const spies: { mockRestore: () => void }[] = [];
  for (const file of files.filter((name) => /(\.view|wording|-text)\.ts$/.test(name))) {
    const module = (await import(join(features, file))) as Record<string, View>;
    for (const [name, view] of Object.entries(module)) {
      if (typeof view !== 'function') continue;
      const parameters = parametersOf(view);
      const drawsText: View = (...args) => {
        const outer = text;
        if (outer === undefined) return view(...args);
        text = undefined;
        try {
          return view(...args.map((arg, at) => replaced(arg, parameters[at], outer)));
        } finally {
          text = outer;
        }
      };
      spies.push(vi.spyOn(module, name).mockImplementation(drawsText));
    }
  }
  return {
    /** Draws an entry of the gallery with this text. */
    draw({ make }: GalleryEntry, shown: string): Drawn {
      text = shown;
      try {
        return make();
      } finally {
        text = undefined;
      }
    },
    stop(): void {
      for (const spy of spies) spy.mockRestore();
    },
  };
}

/** The names of a function's parameters from outside; undefined for one that is destructured, or the bot's own. */
function parametersOf(view: View): (string | undefined)[] {
  const list = /^(?:function \w+)?\(([\s\S]*?)\) (?:=>|\{)/.exec(String(view))?.[1] ?? '';
  return list
    .replace(/\{[^{}]*\}/g, '')
    .split(',')
    .map((parameter) => /^\s*(\w*)/.exec(parameter)?.[1] ?? '')
    .map((name) => (suppliedParameters.has(name) ? name : undefined));
}

/** Returns the value with a text in place of everything that comes from outside. @param field where it stands */
function replaced(value: unknown, field: string | undefined, text: string): unknown {
  if (typeof value === 'string')
    return field !== undefined && suppliedFields.has(field) && value !== '' ? text : value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, field, text));
  if (value instanceof Map)
    return new Map([...value].map(([key, one]) => [key, replaced(one, field, text)] as const));
  const isPlain =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  // What has blocks or a type is drawn already.
  if (!isPlain || 'blocks' in value || 'type' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, ownFields.has(name) ? one : replaced(one, name, text)]),
  );
}
