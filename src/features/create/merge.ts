/** A preview of how the rows of a template fill in a description, by the assumed {@link columnPlaceholder}. */
import { columnPlaceholder } from '../../marketplace/api-assumptions.ts';

/** The text as one row fills it in; what has no column stays as it is. */
export function merged(text: string, columns: readonly string[], row: readonly string[]): string {
  const names = columns.map(folded);
  return text.replace(columnPlaceholder, (whole, name: string) => {
    const at = names.indexOf(folded(name));
    return at === -1 ? whole : (row[at] ?? '');
  });
}

/** The placeholders of a text, each once, and those for which there is no column. */
export function placeholdersOf(
  text: string,
  columns: readonly string[],
): { readonly all: string[]; readonly unknown: string[] } {
  const names = new Set(columns.map(folded));
  const all = [...new Set([...text.matchAll(columnPlaceholder)].map(([, name = '']) => name))];
  return { all, unknown: all.filter((name) => !names.has(folded(name))) };
}

function folded(name: string): string {
  return name.trim().toLowerCase();
}
