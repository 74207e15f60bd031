import type { KnownBlock, ModalView } from '@slack/types';
import type { Asked } from '../../domain/brief.ts';
import { countryName } from '../../domain/evidence/travel.ts';
import { byIndex, missingPictures, withoutPictures } from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import type { ShownRecord } from '../../domain/worker.ts';
import { context, modal, plainWords, section } from '../../slack/blocks.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import { describeFile } from '../../slack/proof-file.ts';
import type { IsRefused } from '../../slack/refused-pictures.ts';
import { instructionsBlocks, wholeProofWithAsked } from '../../ui/proof.view.ts';
import { workerRecordLine } from '../../ui/worker.view.ts';

/** Maximum number of pictures and files, and of characters of the instructions. */
const maxPictures = 20;
const maxFiles = 20;
const instructionsShown = 1_000;

interface WholeTask {
  readonly task: Task;
  readonly campaignTitle: string;
  readonly record?: ShownRecord;
  readonly asked?: Asked;
  /** Whether files and the whole proof are still being loaded. */
  readonly isLoading?: boolean;
  /** Whether Slack has refused a picture. */
  readonly isRefused?: IsRefused;
}

/** Renders a whole task for ticking: the full proof, files, pictures, and the request. */
export function wholeTaskView(data: WholeTask): ModalView {
  const { task, campaignTitle, record, asked, isLoading = false } = data;
  const { worker, proof } = task;
  const name = worker.name ? `${inline(worker.name, 60)} (${inline(worker.id, 60)})` : inline(worker.id, 60);
  const about = [
    `Worker ${name}`,
    inline(countryName(worker.country), 60),
    (record && workerRecordLine(record)) ?? '',
    proof.finishedAt === undefined ? '' : date(proof.finishedAt, 'finished {date_short_pretty} at {time}'),
  ];
  return modal({
    callbackId: 'bulk.whole',
    title: 'All of the task',
    close: 'Back to the list',
    blocks: [
      section(`*${inline(campaignTitle)}*\n${about.filter((part) => part !== '').join(' · ')}`),
      ...wholeProofWithAsked(asked, task),
      ...(isLoading ? [context(':hourglass_flowing_sand: Files and pictures are being loaded.')] : []),
      ...fileBlocks(data),
      ...(asked ? instructionsBlocks(asked, instructionsShown) : []),
    ],
  });
}

function fileBlocks({ task, isLoading = false, isRefused = () => false }: WholeTask): KnownBlock[] {
  const { files, filesWarning } = task.proof;
  const pictures = byIndex(withoutPictures(task, isRefused).pictures ?? []).slice(0, maxPictures);
  const listed = files.slice(0, maxFiles).map(describeFile);
  const more = files.length > maxFiles ? ` · and ${files.length - maxFiles} more` : '';
  const missing = isLoading ? 0 : missingPictures({ ...task, pictures }).length;
  return [
    ...(files.length > 0 ? [section(`Files: ${listed.join(' · ')}${more}`)] : []),
    ...(filesWarning === undefined
      ? []
      : [
          context(
            `:warning: The marketplace says of the files: “${inline(filesWarning, 200)}”. Check them before you rate.`,
          ),
        ]),
    ...(missing > 0 ? [context(missingText(missing))] : []),
    ...pictures.map(({ index, file }): KnownBlock => {
      const filename = files.find((one) => one.index === index)?.filename ?? `File ${index}`;
      return {
        type: 'image',
        slack_file: { id: file },
        alt_text: plainWords(`Proof file ${index}: ${filename}`, 120),
      };
    }),
  ];
}

/** Returns the note that nobody has seen the whole task here. */
function missingText(count: number): string {
  const [pictures, it] = count === 1 ? ['1 picture', 'it'] : [`${count} pictures`, 'them'];
  return `:warning: ${pictures} could not be shown here. To see ${it}, open this task in a review or on its card.`;
}
