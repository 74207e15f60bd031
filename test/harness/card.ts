/** Returns the id of the block that identifies a card, open or folded; '' if the message is not a card. */
export function blockOf({ blocks }: { readonly blocks: readonly unknown[] }): string {
  const ids = blocks.map((block) => (block as { readonly block_id?: string }).block_id ?? '');
  return ids.find((id) => id.startsWith('task/')) ?? '';
}
