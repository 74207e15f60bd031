import { countryName } from '../../domain/evidence/travel.ts';
import type { KnownBlock, ModalView } from '@slack/types';
import { type MarkedPiece, markDifferences } from '../../domain/evidence/differences.ts';
import { comparedText, likenessOf } from '../../domain/evidence/similarity.ts';
import { maskIp } from '../../domain/ip.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import type { AccountId } from '../../domain/terms.ts';
import { context, modal, mrkdwn, plainWords, section } from '../../slack/blocks.ts';
import { date, escaped, inline, link } from '../../slack/mrkdwn.ts';
import type { AlikeTask } from '../../store/evidence.ts';
import { reviewTogetherButton } from '../shared/bulk-button.ts';
import { capital, factsOf } from '../shared/evidence.view.ts';

/** So many tasks are shown side by side with one; the others are counted. */
export const mostShown = 8;
/** Characters of a text, in one of two columns. */
const textShown = 900;

/** A task that is shown beside another one. */
export interface Beside {
  readonly task: Task;
  readonly campaignTitle: string;
  /** A link to its card, when it has one. */
  readonly card?: string;
  readonly alike: AlikeTask;
}

/** What the modal shows. */
export interface LookAlikeContent {
  readonly account: AccountId;
  readonly task: Task;
  readonly campaignTitle: string;
  /** Tasks that it is connected with, through others too. */
  readonly connected: readonly Task[];
  /** The most alike first. */
  readonly others: readonly Beside[];
  /** All that are alike; of some no details are stored any more. */
  readonly all: readonly AlikeTask[];
}

/** Returns the modal that shows a task beside those that it has something in common with. */
export function lookAlikeModal(content: LookAlikeContent): ModalView {
  const { account, task, campaignTitle, others, all } = content;
  const together = [task, ...content.connected];
  const workers = new Set(together.map(({ worker }) => worker.id)).size;
  const campaigns = new Set(together.map(({ campaign }) => campaign)).size;
  const connected = [
    counted(together.length, 'task'),
    counted(workers, 'worker'),
    counted(campaigns, 'campaign'),
  ];
  const open = together.filter(isOpen).length;
  const left = all.length - others.length;
  return modal({
    callbackId: 'evidence.look-alike',
    title: 'Look alike',
    blocks: [
      section(
        all.length === 0 ? nothingLeft : `*${connected.join(', ')}*\n${capital(factsOf(all).join(' · '))}`,
        open < 2 ? {} : { accessory: reviewTogetherButton(account, task.id) },
      ),
      ...(others.length === 0 ? [] : [section(`*This task*\n${about(task, campaignTitle)}`)]),
      ...others.flatMap((other) => besideBlocks(task, other)),
      ...(left > 0 ? [context(`${counted(left, 'more task')} with less in common.`)] : []),
      context('What is alike is shown, and nothing follows from it by itself. Words that differ are bold.'),
    ],
  });
}

const nothingLeft = 'Nothing in common with other tasks is known any more.';

function besideBlocks(task: Task, { task: other, campaignTitle, card, alike }: Beside): KnownBlock[] {
  const where = card === undefined ? 'no card' : link(card, 'Open its card');
  const facts = factsOf([alike]).map((fact) => fact.replace(/ as 1 (?:task|worker)$/u, ''));
  return [
    { type: 'divider' },
    section(`*${capital(facts.join(' · '))}*\n${about(other, campaignTitle)} · ${where}`),
    ...textBlocks(task, other),
    ...(alike.kinds.some((kind) => kind === 'same-file') ? pictureBlocks(task, other) : []),
  ];
}

function about({ worker, proof, submittedAt }: Task, campaignTitle: string): string {
  const name = worker.name
    ? `Worker ${inline(worker.name, 60)} (${inline(worker.id, 60)})`
    : `Worker ${inline(worker.id, 60)}`;
  const at = submittedAt ?? proof.finishedAt;
  return [inline(campaignTitle), name, inline(countryName(worker.country), 60), inline(maskIp(worker.ip))]
    .concat(at === undefined ? [] : [date(at)])
    .filter((fact) => fact !== '')
    .join(' · ');
}

/** Returns the texts that are alike in two columns: this task's on the left. */
function textBlocks(task: Task, other: Task): KnownBlock[] {
  const pair = task.proof.slots
    .flatMap((one) => other.proof.slots.map((against) => [one, against] as const))
    .find(([one, against]) => {
      const [left, right] = [comparedText(one), comparedText(against)];
      return left !== undefined && right !== undefined && likenessOf(left, right) !== undefined;
    });
  if (pair === undefined) return [];
  const fields = markDifferences(...pair).map((pieces) => mrkdwn(marked(pieces)));
  return [{ type: 'section', fields }];
}

/** Returns a text in which what differs is bold; none of it is formatting of its own. */
function marked(pieces: readonly MarkedPiece[]): string {
  let shown = '';
  for (const { text, isDifferent } of pieces) {
    const room = textShown - shown.length;
    if (room < 20) return `${shown} …`;
    const piece = inline(text, room);
    shown += `${shown === '' ? '' : ' '}${isDifferent ? `*${piece}*` : piece}`;
  }
  return shown === '' ? escaped('–') : shown;
}

/** Returns the pictures of both tasks, one next to the other, as far as Slack has them. */
function pictureBlocks(task: Task, other: Task): KnownBlock[] {
  return [['This task', task] as const, ['The other task', other] as const].flatMap(
    ([whose, { pictures = [], proof }]) =>
      pictures.slice(0, 1).map(({ index, file }): KnownBlock => {
        const name = proof.files.find((one) => one.index === index)?.filename ?? `File ${index}`;
        return {
          type: 'image',
          slack_file: { id: file },
          alt_text: plainWords(`${whose}: ${name}`, 120),
          title: { type: 'plain_text', text: plainWords(whose, 60) },
        };
      }),
  );
}

function counted(count: number, of: string): string {
  return `${count} ${of}${count === 1 ? '' : 's'}`;
}
