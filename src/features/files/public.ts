/**
 * Returns the label of the button that opens files of a proof not shown inline.
 * @param named number of non-picture files
 * @param counted number of pictures not shown
 * @param shown number of pictures shown
 */
export function filesButton(named: number, counted: number, shown: number): string {
  if (counted === 0) return named === 1 ? 'Open file…' : 'Files…';
  const pictures = countOfPictures(counted, shown);
  return named === 0 ? pictures : `${pictures}, ${named === 1 ? '1 file' : `${named} files`}`;
}

function countOfPictures(counted: number, shown: number): string {
  const pictures = counted === 1 ? 'picture' : 'pictures';
  return shown > 0 ? `${counted} more ${pictures}` : `${counted} ${pictures}`;
}
