import type { KnownBlock, ModalView } from '@slack/types';
import { type MarkedPiece, markDifferences } from '../../domain/evidence/differences.ts';
import { arePrintsAlike, countryName } from '../../domain/evidence/likeness.ts';
import { comparedText, likenessOf } from '../../domain/evidence/texts.ts';
import { isOpen, type Picture, type Task } from '../../domain/task.ts';
import type { AccountId } from '../../domain/terms.ts';
import { maskIp } from '../../domain/worker.ts';
import { context, modal, mrkdwn, plainWords, section } from '../../slack/blocks.ts';
import { date, escaped, inline, link } from '../../slack/mrkdwn.ts';
import type { AlikeTask } from '../../store/evidence.ts';
import { factsOf } from '../../ui/evidence.view.ts';
import { capital, counted, nameWithId } from '../../ui/words.ts';
import { exclusionWords, type WorkerHistory, workerHistoryLines } from '../../ui/worker.view.ts';
import { reviewTogetherButton } from '../bulk/public.ts';
import { allTasksButton } from '../find/public.ts';

/** Maximum number of tasks shown side by side; the others are counted. */
export const mostShown = 8;
/** Characters of a text, in one of two columns. */
const textShown = 900;

/** A task shown next to another one. */
export interface Beside {
  readonly task: Task;
  readonly campaignTitle: string;
  /** Link to its card, if it has one. */
  readonly card?: string | undefined;
  readonly alike: AlikeTask;
}

/** Content of the modal. */
export interface LookAlikeContent {
  readonly account: AccountId;
  readonly task: Task;
  readonly campaignTitle: string;
  /** Tasks connected with it, also transitively. */
  readonly connected: readonly Task[];
  /** Most alike first. */
  readonly others: readonly Beside[];
  /** All alike tasks; some no longer have stored details. */
  readonly all: readonly AlikeTask[];
  /** History of the task's worker. */
  readonly worker: WorkerHistory;
}

/** Returns the modal that shows a task next to those with evidence in common. */
export function lookAlikeModal(content: LookAlikeContent): ModalView {
  const { account, task, campaignTitle, others, all } = content;
  const counts = [
    counted(1 + all.length, 'task'),
    counted(new Set([task.worker.id, ...all.map(({ worker }) => worker)]).size, 'worker'),
    counted(new Set([task.campaign, ...all.map(({ campaign }) => campaign)]).size, 'campaign'),
  ];
  const open = [task, ...content.connected].filter(isOpen).length;
  const left = all.length - others.length;
  const beyond = content.connected.filter(({ id }) => !all.some((one) => one.task === id)).length;
  const isAlone = all.length === 0;
  return modal({
    callbackId: 'evidence.look-alike',
    title: isAlone ? 'Record of the worker' : 'Compare tasks',
    blocks: [
      section(
        isAlone ? nothingAlike : `*${counts.join(', ')}*\n${capital(factsOf(all).join(' · '))}`,
        open < 2 ? {} : { accessory: reviewTogetherButton(account, task.id) },
      ),
      ...recordBlocks(account, task, content.worker),
      ...(others.length === 0 ? [] : [section(`*This task*\n${about(task, campaignTitle)}`)]),
      ...others.flatMap((other) => besideBlocks(task, other)),
      ...(left > 0
        ? [context(`${counted(left, 'more task')} that ${left === 1 ? 'is' : 'are'} not shown here.`)]
        : []),
      ...(beyond > 0
        ? [context(`${counted(beyond, 'more task')} ${beyond === 1 ? 'is' : 'are'} similar to these.`)]
        : []),
      ...(isAlone ? [] : [context('A match alone proves nothing. Words that differ are bold.')]),
    ],
  });
}

const nothingAlike = 'No matches with other tasks in this account.';

function recordBlocks(account: AccountId, { worker }: Task, history: WorkerHistory): KnownBlock[] {
  const { exclusion } = history;
  const lines = [
    ...workerHistoryLines(history),
    ...(exclusion === undefined ? [] : [`Worker was ${exclusionWords(exclusion)}`]),
  ];
  if (lines.length === 0) return [];
  const name = nameWithId(worker.name ?? '', worker.id);
  return [
    section(`*Worker ${name}*\n${lines.join('\n')}`, { accessory: allTasksButton(account, worker.id) }),
  ];
}

function besideBlocks(task: Task, { task: other, campaignTitle, card, alike }: Beside): KnownBlock[] {
  const where = card === undefined ? 'no card' : link(card, 'Open its card');
  const facts = factsOf([alike]).map((fact) => fact.replace(/ as 1 (?:task|worker)$/u, ''));
  return [
    { type: 'divider' },
    section(`*${capital(facts.join(' · '))}*\n${about(other, campaignTitle)} · ${where}`),
    ...textBlocks(task, other),
    ...(alike.kinds.some((kind) => kind === 'same-file' || kind === 'same-picture')
      ? pictureBlocks(task, other)
      : []),
  ];
}

function about({ worker, proof, submittedAt }: Task, campaignTitle: string): string {
  const name = `Worker ${nameWithId(worker.name ?? '', worker.id)}`;
  const at = submittedAt ?? proof.finishedAt;
  return [inline(campaignTitle), name, inline(countryName(worker.country), 60), inline(maskIp(worker.ip))]
    .concat(at === undefined ? [] : [date(at)])
    .filter((fact) => fact !== '')
    .join(' · ');
}

/** Returns alike texts in two columns, this task's on the left; one that is the same only once. */
function textBlocks(task: Task, other: Task): KnownBlock[] {
  const pair = task.proof.slots
    .flatMap((one) => other.proof.slots.map((against) => [one, against] as const))
    .find(([one, against]) => {
      const [left, right] = [comparedText(one), comparedText(against)];
      return left !== undefined && right !== undefined && likenessOf(left, right) !== undefined;
    });
  if (pair === undefined) return [];
  const shown = [...new Set(markDifferences(...pair).map(marked))];
  return [shown.length === 1 ? section(shown.join()) : { type: 'section', fields: shown.map(mrkdwn) }];
}

/** Returns a text with differences in bold; its own formatting is escaped. */
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

function areSame(one: Picture, other: Picture): boolean {
  if (one.bytesHash !== undefined && one.bytesHash === other.bytesHash) return true;
  return one.print !== undefined && other.print !== undefined && arePrintsAlike(one.print, other.print);
}

/** Returns the identical pictures of both tasks side by side, as far as Slack has them. */
function pictureBlocks(task: Task, other: Task): KnownBlock[] {
  const pair = (task.pictures ?? [])
    .flatMap((one) => (other.pictures ?? []).map((against) => [one, against] as const))
    .find((pictures) => areSame(...pictures));
  if (pair === undefined) return [];
  const image = (whose: string, { proof }: Task, { index, file }: Picture): KnownBlock[] => {
    if (file === undefined) return [];
    const name = proof.files.find((one) => one.index === index)?.filename ?? `File ${index}`;
    const title = { type: 'plain_text', text: plainWords(whose, 60) } as const;
    return [
      { type: 'image', slack_file: { id: file }, alt_text: plainWords(`${whose}: ${name}`, 120), title },
    ];
  };
  return [...image('This task', task, pair[0]), ...image('The other task', other, pair[1])];
}
