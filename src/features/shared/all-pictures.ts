import { isPicture } from '../../domain/picture.ts';
import type { Picture, ProofFile, Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';
import { uploadPictures } from './proof-images.ts';

type Deps = Pick<FeatureContext, 'logger' | 'marketplaceOf' | 'memory' | 'messengerOf' | 'tasks'>;

/** Returns the pictures of a proof that Slack does not have. */
export function missingPictures({ proof, pictures = [] }: Pick<Task, 'proof' | 'pictures'>): ProofFile[] {
  return proof.files.filter((file) => isPicture(file) && !pictures.some(({ index }) => index === file.index));
}

/** Uploads the pictures that Slack does not have yet: a card and a review begin with the first three. */
export async function withAllPictures(deps: Deps, ref: AccountRef, task: Task): Promise<Task> {
  const missing = missingPictures(task);
  if (missing.length === 0) return task;
  const messenger = deps.messengerOf(ref.workspace);
  const marketplace = await deps.marketplaceOf(ref);
  const uploaded = await uploadPictures({ ...deps, messenger }, marketplace, task, missing);
  const pictures = [...(task.pictures ?? []), ...uploaded];
  const stored = await deps.tasks.apply(ref, task.id, {
    type: 'images-uploaded',
    round: task.round,
    pictures,
  });
  return stored.task ?? task;
}

/** Returns pictures in the order of the proof's files. */
export function byIndex(pictures: readonly Picture[]): Picture[] {
  return [...pictures].sort((a, b) => a.index - b.index);
}
