import { isPicture, maxPictureBytes } from '../../domain/picture.ts';
import type { Picture, ProofFile, Task } from '../../domain/task.ts';
import { messageOf } from '../../errors.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from './context.ts';
import { transferFile } from './file-transfer.ts';

/**
 * Uploads images of a task to Slack, to be shown on its card or in a modal; they are never linked. An image that cannot be
 * uploaded is left out, and only counted. Throws the SlackError when Slack asks to wait, so that none is left out.
 */
export async function uploadPictures(
  { messenger, logger, memory }: { messenger: Messenger } & Pick<FeatureContext, 'logger' | 'memory'>,
  marketplace: MarketplaceClient,
  task: Pick<Task, 'id'>,
  files: readonly ProofFile[],
): Promise<Picture[]> {
  const pictures: Picture[] = [];
  for (const file of files.filter(isPicture)) {
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
