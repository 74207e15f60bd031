import { counted } from '../../ui/words.ts';

/**
 * Returns the label of the button that opens files of a proof not shown inline.
 * @param named number of non-picture files
 * @param hidden number of pictures not shown
 * @param shown number of pictures shown
 */
export function filesButton(named: number, hidden: number, shown: number): string {
  if (hidden === 0) return named === 1 ? 'Open file…' : 'Files…';
  const pictures = counted(hidden, shown > 0 ? 'more picture' : 'picture');
  return named === 0 ? pictures : `${pictures}, ${counted(named, 'file')}`;
}
