import type { KnownBlock, ModalView } from '@slack/types';
import {
  byIndex,
  filesOnCard,
  missingPictures,
  type ShownPicture,
  withoutPictures,
} from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import { actions, button, context, modal, plainWords, section } from '../../slack/blocks.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { describeFile } from '../../slack/proof-file.ts';
import type { IsRefused } from '../../slack/refused-pictures.ts';
import { filesButton } from '../files/public.ts';

type Files = Pick<Task, 'id' | 'proof' | 'pictures'>;

const filesListed = 10;
/** Pictures that fit into a modal, next to the other blocks. */
const maxPictures = 60;
const backLabel = 'Back to the task';

/**
 * Renders the files of a review's task: its first pictures, and buttons for the rest.
 * @param isLoading they are not available yet
 * @param isRefused Slack has refused the picture
 */
export function fileBlocks(
  task: Files,
  {
    step,
    isLoading,
    isRefused,
  }: { readonly step: number; readonly isLoading: boolean; readonly isRefused: IsRefused },
): KnownBlock[] {
  const { files, filesWarning } = task.proof;
  const { shown, counted, named } = filesOnCard(withoutPictures(task, isLoading ? () => true : isRefused));
  const refused = byIndex(task.pictures ?? []).filter(({ file }) => isRefused(file)).length;
  const listed = files.slice(0, filesListed).map(describeFile);
  const more = files.length > filesListed ? ` · and ${files.length - filesListed} more` : '';
  const buttons = [
    ...(counted.length > 0 && !isLoading
      ? [button(filesButton(0, counted.length, shown.length), 'focus.pictures', task.id)]
      : []),
    ...(named.length > 0 ? [button(filesButton(named.length, 0, 0), 'focus.files', task.id)] : []),
  ];
  return [
    ...(isLoading ? [context(':hourglass_flowing_sand: Files and pictures are being loaded.')] : []),
    ...(files.length > 0 ? [context(`Files: ${listed.join(' · ')}${more}`)] : []),
    ...(filesWarning === undefined
      ? []
      : [
          context(
            `:warning: The marketplace says of the files: “${inline(filesWarning, 200)}”. Check them before you rate.`,
          ),
        ]),
    ...(refused > 0 && !isLoading ? [context(refusedText(refused))] : []),
    ...(buttons.length > 0 ? [actions(`focus.files/${step}`, buttons)] : []),
    ...pictureBlocks(
      task,
      shown.map(({ index, slackFile: file }) => ({ index, file })),
    ),
  ];
}

function pictureBlocks({ proof: { files } }: Files, pictures: readonly ShownPicture[]): KnownBlock[] {
  return pictures.map(({ index, file }): KnownBlock => {
    const name = files.find((one) => one.index === index)?.filename ?? `File ${index}`;
    const alternative = plainWords(`Proof file ${index}: ${name}`, 120);
    return { type: 'image', slack_file: { id: file }, alt_text: alternative };
  });
}

/** Returns the note that Slack has refused pictures, and what to do. */
function refusedText(count: number): string {
  const [pictures, them] = count === 1 ? ['1 picture', 'it'] : [`${count} pictures`, 'them'];
  return `:warning: ${pictures} could not be shown here. Open ${them} with the button below, or choose *Files…* in the menu to fetch ${them} into the thread of its card.`;
}

/** Returns the view with all pictures of a task. @param isLoading some are still being loaded */
export function picturesView(task: Files, { isLoading = false } = {}): ModalView {
  const pictures = byIndex(task.pictures ?? []).slice(0, maxPictures);
  const missing = missingPictures({ ...task, pictures }).length;
  return modal({
    callbackId: 'focus.pictures',
    title: 'Pictures of this task',
    close: backLabel,
    blocks: [
      // Slack may refuse the whole view because of one picture, so the immediate view has none.
      ...(isLoading
        ? [section(':hourglass_flowing_sand: Loading the pictures…')]
        : pictureBlocks(task, pictures)),
      ...(isLoading || missing === 0 ? [] : [section(missingText(missing))]),
      ...(!isLoading && missing === 0 && pictures.length === 0
        ? [section('This task has no pictures.')]
        : []),
    ],
  });
}

function missingText(count: number): string {
  const [pictures, them] = count === 1 ? ['1 picture', 'it'] : [`${count} pictures`, 'them'];
  return `:warning: ${pictures} could not be shown here. Go back to the task and choose *Files…* in the menu to fetch ${them} into the thread of its card.`;
}

/** Returns the view that waits for the files of a task. @param text mrkdwn */
export function filesView(text: string): ModalView {
  return modal({
    callbackId: 'task.files',
    title: 'Files of this task',
    close: backLabel,
    blocks: [section(text)],
  });
}
