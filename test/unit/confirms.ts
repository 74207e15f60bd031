import type { Button, KnownBlock } from '@slack/types';

/** What each button asks before it acts, by its action and value; undefined: nothing. */
export function confirmsOf(blocks: readonly KnownBlock[]): Map<string, Button['confirm']> {
  const elements = blocks.flatMap((block): readonly { readonly type: string }[] => {
    if (block.type === 'actions') return block.elements;
    return block.type === 'section' && block.accessory ? [block.accessory] : [];
  });
  const buttons = elements.filter((element): element is Button => element.type === 'button');
  return new Map(buttons.map(({ action_id: action, value, confirm }) => [`${action} ${value}`, confirm]));
}
