/** Returns `1 task`, `12 tasks`. */
export function counted(count: number, of: string): string {
  return `${count.toLocaleString('en')} ${of}${count === 1 ? '' : 's'}`;
}

/** For a task that nobody can rate yet. */
export const reviewedByMarketplace = 'the marketplace is reviewing it';
