import { counted } from '../../ui/words.ts';

export { filesStatusModal, loadingFiles } from './files.view.ts';

/**
 * Returns the label of the button that opens files of a proof.
 * @param named number of files that are no pictures
 * @param hidden number of pictures
 * @param shown number of other pictures, which are shown already
 */
export function filesButton(named: number, hidden: number, shown: number): string {
  if (hidden === 0) return named === 1 ? 'Open file…' : 'Files…';
  if (named === 0 && hidden === 1) return shown > 0 ? '1 more picture…' : 'Picture…';
  const pictures = counted(hidden, shown > 0 ? 'more picture' : 'picture');
  return named === 0 ? `${pictures}…` : `${pictures}, ${counted(named, 'file')}…`;
}
