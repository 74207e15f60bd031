import type { Picture, ProofFile, Task } from './task.ts';

/** Larger images (bytes) are not shown: Slack gets a copy only on request. */
export const maxPictureBytes = 5_000_000;
/** Larger images (bytes) are not compared with others either. */
export const maxComparedBytes = 20_000_000;
/** Maximum number of pictures on a card. */
export const picturesOnCard = 3;
const shownTypes = new Set(['image/png', 'image/jpeg', 'image/gif']);
/** Types that say nothing: the first bytes tell whether the file is a picture. */
const vagueTypes = new Set(['', 'application/octet-stream', 'application/x-binary', 'binary/octet-stream']);

/** A picture that Slack has a copy of. */
export type ShownPicture = Picture & { readonly file: string };

/** Returns whether a file of a proof can be shown as a picture, by its type. */
export function isPicture({ contentType, size }: ProofFile): boolean {
  return shownTypes.has(contentType) && size > 0 && size <= maxPictureBytes;
}

/** Returns whether a file's type leaves open whether it is a picture. */
export function isVague({ contentType }: ProofFile): boolean {
  return vagueTypes.has(contentType);
}

/** Returns whether a file may be a picture, which is shown, or only compared with others. */
export function mayBePicture(file: ProofFile): boolean {
  const { contentType, size } = file;
  return (contentType.startsWith('image/') || isVague(file)) && size > 0 && size <= maxComparedBytes;
}

/** Returns whether a file begins like a picture that can be shown. */
export function beginsLikePicture(bytes: Buffer): boolean {
  return ['89504e47', 'ffd8ff', '47494638'].some((start) => bytes.toString('hex', 0, 4).startsWith(start));
}

/** Returns the files fetched for a card: first those that can certainly be shown. */
export function filesForCard(files: readonly ProofFile[]): ProofFile[] {
  const others = files.filter((file) => mayBePicture(file) && !isPicture(file));
  return [...files.filter(isPicture), ...others].slice(0, picturesOnCard);
}

/** Returns a proof's files as displayed on its card: pictures shown, pictures only counted, and other files by name. */
export function filesOnCard({ proof: { files }, pictures = [] }: Pick<Task, 'proof' | 'pictures'>) {
  const shown = pictures
    .filter(isShown)
    .slice(0, picturesOnCard)
    .filter((picture) => files.some(({ index }) => index === picture.index));
  const rest = files.filter((file) => !shown.some(({ index }) => index === file.index));
  return {
    shown,
    counted: rest.filter(isPicture),
    named: rest.filter((file) => !isPicture(file)),
  };
}

/** Returns the pictures of a proof that can be shown, but of which Slack has no copy. */
export function missingPictures({ proof, pictures = [] }: Pick<Task, 'proof' | 'pictures'>): ProofFile[] {
  const shown = pictures.filter(isShown);
  return proof.files.filter((file) => isPicture(file) && !shown.some(({ index }) => index === file.index));
}

/** Slack can show an uploaded picture after about a second; this long (ms) is nearly always enough. */
const readyAfterMs = 2_000;
/** How long (ms) it is tried to show an uploaded picture that Slack cannot show yet. */
const triedForMs = 60_000;

const uploadTimes = ({ pictures = [] }: Pick<Task, 'pictures'>) =>
  pictures.map(({ uploadedAt = 0 }) => uploadedAt);

/** Returns how long to wait until Slack can show all pictures of a task (ms). */
export function untilPicturesReady(task: Pick<Task, 'pictures'>, now: number): number {
  return Math.max(0, ...uploadTimes(task).map((at) => at + readyAfterMs - now));
}

/** Returns after how long to try again to show pictures that Slack has refused (ms); undefined if it will not help. */
export function picturesRetryMs(task: Pick<Task, 'pictures'>, now: number): number | undefined {
  const age = now - Math.max(0, ...uploadTimes(task));
  return age < triedForMs ? Math.min(Math.max(age, readyAfterMs), 10_000) : undefined;
}

/** Returns a task without those of its pictures, old and new, for whose Slack file `isLeftOut` holds. */
export function withoutPictures<T extends Pick<Task, 'before' | 'pictures'>>(
  task: T,
  isLeftOut: (file: string) => boolean,
): T {
  const { before, pictures } = task;
  const left = (all: readonly Picture[]) => all.filter(({ file }) => file === undefined || !isLeftOut(file));
  return {
    ...task,
    ...(pictures && { pictures: left(pictures) }),
    ...(before?.pictures && { before: { ...before, pictures: left(before.pictures) } }),
  };
}

/** Returns of how many pictures the bytes are known, and how many of these the round before had too. */
export function unchangedPictures({ before, pictures = [] }: Pick<Task, 'before' | 'pictures'>) {
  const hashes = pictures.flatMap(({ bytesHash }) => bytesHash ?? []);
  const same = hashes.filter((hash) => before?.pictures?.some(({ bytesHash }) => bytesHash === hash));
  return { known: hashes.length, same: same.length };
}

/** Returns the first picture of the round before that can be shown, and that this round has not. */
export function replacedPicture({
  before,
  pictures = [],
}: Pick<Task, 'before' | 'pictures'>): ShownPicture | undefined {
  const isStill = ({ bytesHash }: Picture) =>
    bytesHash !== undefined && pictures.some((picture) => picture.bytesHash === bytesHash);
  return byIndex(before?.pictures ?? []).find((picture) => !isStill(picture));
}

/** Returns the files of a proof that may be pictures, without those that were read and, if they can be, are shown. */
export function unreadFiles({ proof, pictures = [] }: Pick<Task, 'proof' | 'pictures'>): ProofFile[] {
  const isRead = (file: ProofFile) =>
    pictures.some((one) => one.index === file.index && (isShown(one) || !isPicture(file)));
  return proof.files.filter((file) => mayBePicture(file) && !isRead(file));
}

/** Returns the pictures that can be shown, in the order of the proof's files. */
export function byIndex(pictures: readonly Picture[]): ShownPicture[] {
  return pictures.filter(isShown).sort((a, b) => a.index - b.index);
}

function isShown(picture: Picture): picture is ShownPicture {
  return picture.file !== undefined;
}
