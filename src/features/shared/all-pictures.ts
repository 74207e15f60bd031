import { setTimeout as delay } from 'node:timers/promises';
import { unreadFiles, untilPicturesReady } from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../modules.ts';
import { uploadPictures } from './proof-images.ts';

/**
 * Uploads the pictures that Slack does not have yet: cards and reviews start with only the first three. Waits until Slack can
 * show all of them.
 */
export async function withAllPictures(deps: Modules, ref: AccountRef, task: Task): Promise<Task> {
  const whole = await withMissing(deps, ref, task);
  await delay(untilPicturesReady(whole, deps.clock.now()));
  return whole;
}

async function withMissing(deps: Modules, ref: AccountRef, task: Task): Promise<Task> {
  const unread = unreadFiles(task);
  if (unread.length === 0) return task;
  const messenger = deps.slack.messengerOf(ref.workspace);
  const client = await deps.marketplace.of(ref);
  const uploaded = await uploadPictures({ ...deps, messenger }, client, task, unread);
  const kept = (task.pictures ?? []).filter((one) => !uploaded.some(({ index }) => index === one.index));
  const pictures = [...kept, ...uploaded];
  const stored = await deps.tasks.apply(ref, task.id, {
    type: 'images-uploaded',
    round: task.round,
    pictures,
  });
  return stored.task ?? task;
}
