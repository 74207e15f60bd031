import type { Picture, ProofFile, Task } from '../../domain/task.ts';
import { messageOf } from '../../errors.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from './context.ts';
import { transferFile } from './file-transfer.ts';

/** Images larger than this (bytes) are named on the card, not shown. */
const maxPictureBytes = 5_000_000;
const maxPictures = 3;
const shownTypes = new Set(['image/png', 'image/jpeg', 'image/gif']);

/**
 * Uploads a task's images to Slack, to be shown on its card; they are never linked. An image that cannot be uploaded is
 * left out, and the card shows its name only. Throws the SlackError when Slack asks to wait, so that none is left out.
 */
export async function uploadPictures(
  { messenger, logger, memory }: { messenger: Messenger } & Pick<FeatureContext, 'logger' | 'memory'>,
  marketplace: MarketplaceClient,
  task: Task,
): Promise<Picture[]> {
  const pictures: Picture[] = [];
  for (const file of task.proof.files.filter(isPicture).slice(0, maxPictures)) {
    try {
      const download = await marketplace.downloadFileProof(task.id, file.index);
      const id = await transferFile({ memory }, download, maxPictureBytes, (content) =>
        messenger.uploadFile(content, file.filename, `Proof file ${file.index}`),
      );
      pictures.push({ index: file.index, file: id });
    } catch (error) {
      if (error instanceof SlackError && error.kind === 'rate-limited') throw error;
      logger.warn({ task: task.id, file: file.index, reason: messageOf(error) }, 'proof image not uploaded');
    }
  }
  return pictures;
}

/** Returns whether a card shows a file as an image. */
export function isPicture({ contentType, size }: ProofFile): boolean {
  return shownTypes.has(contentType.toLowerCase()) && size > 0 && size <= maxPictureBytes;
}
