import type { Picture, ProofFile, Task } from './task.ts';

/** Larger images (bytes) are treated like other files: Slack gets a copy only on request. */
export const maxPictureBytes = 5_000_000;
/** Maximum number of pictures on a card. */
export const picturesOnCard = 3;
const shownTypes = new Set(['image/png', 'image/jpeg', 'image/gif']);

/** Returns whether a file of a proof can be shown as a picture. */
export function isPicture({ contentType, size }: ProofFile): boolean {
  return shownTypes.has(contentType.toLowerCase()) && size > 0 && size <= maxPictureBytes;
}

/** Returns a proof's files as displayed on its card: pictures shown, pictures only counted, and other files by name. */
export function filesOnCard({ proof: { files }, pictures = [] }: Pick<Task, 'proof' | 'pictures'>) {
  const shown = pictures.slice(0, picturesOnCard).flatMap((picture) => {
    const file = files.find(({ index }) => index === picture.index);
    return file ? [{ ...picture, file, slackFile: picture.file }] : [];
  });
  const isShown = (file: ProofFile) => shown.some(({ index }) => index === file.index);
  return {
    shown,
    counted: files.filter((file) => isPicture(file) && !isShown(file)),
    named: files.filter((file) => !isPicture(file) && !isShown(file)),
  };
}

/** Returns the pictures of a proof not uploaded to Slack yet. */
export function missingPictures({ proof, pictures = [] }: Pick<Task, 'proof' | 'pictures'>): ProofFile[] {
  return proof.files.filter((file) => isPicture(file) && !pictures.some(({ index }) => index === file.index));
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

/** Returns a task without those of its pictures for whose Slack file `isLeftOut` holds. */
export function withoutPictures<T extends Pick<Task, 'pictures'>>(
  task: T,
  isLeftOut: (file: string) => boolean,
): T {
  return task.pictures === undefined
    ? task
    : { ...task, pictures: task.pictures.filter(({ file }) => !isLeftOut(file)) };
}

/** Returns pictures in the order of the proof's files. */
export function byIndex(pictures: readonly Picture[]): Picture[] {
  return [...pictures].sort((a, b) => a.index - b.index);
}
