/** Placeholder. */
export async function runDefects(_names: readonly string[], _print: (line: string) => void): Promise<boolean> {
  return false;
}
