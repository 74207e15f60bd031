/** Returns the id of the block that says which card a message is, open or folded; '' when it is none. */
export function blockOf({ blocks }: { readonly blocks: readonly unknown[] }): string {
  const ids = blocks.map((block) => (block as { readonly block_id?: string }).block_id ?? '');
  return ids.find((id) => id.startsWith('task/')) ?? '';
}
