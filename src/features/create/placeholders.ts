/**
 * Assumed: `{{column}}` in a description is replaced by the row's text in the column of that name, whatever its case.
 * The API does not describe the template ("Structure of the CSV template file: not shown"), so this is only a preview.
 */
const placeholder = /\{\{\s*([^{}\n]+?)\s*\}\}/gu;

/** Returns the text as one row fills it in; a placeholder without a column stays as it is. */
export function fillPlaceholders(text: string, columns: readonly string[], row: readonly string[]): string {
  const names = columns.map(normalized);
  return text.replace(placeholder, (whole, name: string) => {
    const at = names.indexOf(normalized(name));
    return at === -1 ? whole : (row[at] ?? '');
  });
}

/** Returns the placeholders of a text, each once, and those that have no column. */
export function placeholdersIn(
  text: string,
  columns: readonly string[],
): { readonly all: string[]; readonly unknown: string[] } {
  const names = new Set(columns.map(normalized));
  const all = [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
  return { all, unknown: all.filter((name) => !names.has(normalized(name))) };
}

function normalized(name: string): string {
  return name.trim().toLowerCase();
}
