import { columnPlaceholder } from '../../marketplace/api-assumptions.ts';

/** Returns the text with placeholders filled in from one row; a placeholder without a column stays unchanged. */
export function fillPlaceholders(text: string, columns: readonly string[], row: readonly string[]): string {
  const names = columns.map(normalized);
  return text.replace(columnPlaceholder, (whole, name: string) => {
    const at = names.indexOf(normalized(name));
    return at === -1 ? whole : (row[at] ?? '');
  });
}

/** Returns the distinct placeholders of a text, and those without a column. */
export function placeholdersIn(
  text: string,
  columns: readonly string[],
): { readonly all: string[]; readonly unknown: string[] } {
  const names = new Set(columns.map(normalized));
  const all = [...new Set([...text.matchAll(columnPlaceholder)].map(([, name = '']) => name))];
  return { all, unknown: all.filter((name) => !names.has(normalized(name))) };
}

function normalized(name: string): string {
  return name.trim().toLowerCase();
}
