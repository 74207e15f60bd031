/**
 * Returns what a button says that opens the files of a proof which are not shown.
 * @param named files that are no pictures
 * @param counted pictures that are not shown
 * @param shown pictures that are
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
