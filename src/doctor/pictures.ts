import { canReadPictures } from '../features/shared/pictures/reader.ts';
import { type Finding, note, ok } from './finding.ts';

/** Checks whether pictures can be compared: their decoder is an optional dependency. */
export function checkPictures(isInstalled = canReadPictures()): Finding {
  return isInstalled
    ? ok('Pictures', 'sharp is installed: pictures that look the same are found.')
    : note(
        'Pictures',
        'sharp is not installed: pictures are compared by their bytes only, all else works. To install it: npm install --include=optional',
      );
}
