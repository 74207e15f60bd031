import type { Button, KnownBlock, Overflow } from '@slack/types';
import { countryName } from '../../domain/evidence/likeness.ts';
import { linksIn } from '../../domain/evidence/texts.ts';
import { filesOnCard } from '../../domain/picture.ts';
import { isOpen, isPending, type Task } from '../../domain/task.ts';
import type { AccountId } from '../../domain/terms.ts';
import { maskIp } from '../../domain/worker.ts';
import {
  actions,
  button,
  context,
  type Message,
  menuValue,
  notice,
  option,
  section,
} from '../../slack/blocks.ts';
import { encodeCardBlock } from '../../slack/message-tags.ts';
import { cut, inline, link, plain } from '../../slack/mrkdwn.ts';
import { evidenceBlocks } from '../../ui/evidence.view.ts';
import {
  askedBlocks,
  filesLine,
  filesWarning,
  isProofCut,
  pictureBlocks,
  pictureElement,
} from '../../ui/proof.view.ts';
import {
  assignmentLine,
  beforeBlocks,
  hasSameText,
  headingText,
  notesBlocks,
  stateLine,
  type TaskFacts,
  undoLabel,
  undoneLine,
} from '../../ui/task.view.ts';
import { campaignName, counted, joined } from '../../ui/words.ts';
import { assignValue } from '../assignments/public.ts';
import { filesButton } from '../files/public.ts';

/** Data of a card. */
export interface CardData extends TaskFacts {
  readonly account: AccountId;
  readonly task: Task;
  /** Link to the card of the previous round. */
  readonly earlierLink?: string | undefined;
}

/** Number of files listed by name; the others are counted. */
const filesListed = 4;

/** Renders a task's card, for its first post and every update. A decided task folds to one line. */
export function taskCard(data: CardData): Message {
  const { task } = data;
  if (isSettled(task)) return { text: fallback(data), blocks: [foldedCard(data)] };
  if (isPending(task))
    return { text: fallback(data), blocks: [section(foldedLine(data)), ...buttonBlocks(data)] };
  const blocks = [
    headingBlock(data),
    ...beforeBlocks(task, data.earlierLink),
    ...proofBlocks(data),
    ...evidenceBlocks(data.account, task, data.alike ?? [], data.asked, data.worker, data.twins),
    ...stateBlocks(task),
    ...undoneLine(task).map((line) => context(line)),
    ...assignmentBlocks(task),
    ...notesBlocks(data.notes ?? []),
    ...buttonBlocks(data),
  ];
  return { text: fallback(data), blocks };
}

/** Returns whether a card shows only who decided what, without request, deadline and evidence. */
export function isFolded(task: Task): boolean {
  return isSettled(task) || isPending(task);
}

/** Returns whether nothing is left to decide, undo or send. */
function isSettled(task: Task): boolean {
  return task.rating !== 'NOTRATED' && task.rating !== 'NOTREVIEWED' && !isPending(task);
}

/** Returns the line of a decided task: who decided what, and whose task it is. */
function foldedLine(data: CardData): string {
  const { task, notes = [] } = data;
  const country = inline(countryName(task.worker.country), 60);
  const removed = task.detailsRemovedAt === undefined ? '' : '_details no longer stored_';
  const noted = notes.length === 0 ? '' : counted(notes.length, 'note');
  const worker = `Worker ${inline(task.worker.name || task.worker.id, 60)}`;
  const about = joined([`*${titleOf(data)}*`, worker, country, noted, removed]);
  return [stateLine(task) ?? '', ...undoneLine(task), about].join(' ');
}

/** Renders the card of a settled task. */
function foldedCard(data: CardData): KnownBlock {
  const { account, task } = data;
  const { decision } = task;
  const id = { account, round: task.round, ...(decision ? { decision: decision.id } : {}) };
  return section(foldedLine(data), {
    block_id: encodeCardBlock(id),
    accessory: menuOf(task),
  });
}

/** Renders the stub of a card whose task came back corrected. */
export function supersededCard(data: CardData, newerLink: string | undefined): Message {
  const { task } = data;
  const newer = newerLink ? link(newerLink, 'its newer card') : 'its newer card, below';
  const text = `:leftwards_arrow_with_hook: *${titleOf(data)}*: ${cameBack(task)}. Review it on ${newer}.`;
  return notice(text);
}

/** Renders what a card would say that is too old for Slack to be changed, for whoever decided. */
export function unchangeableCard(data: CardData, address: string | undefined): Message {
  const card = address ? link(address, 'This card') : 'The card';
  const text = `${card} of *${titleOf(data)}* is too old for Slack to be changed. It would now say:\n${stateLine(data.task) ?? ''}`;
  return notice(text);
}

/** Returns how a task came back, without claiming more than is known. */
function cameBack(task: Task): string {
  return hasSameText(task) ? 'this task waits for another rating' : 'the worker has corrected this task';
}

function titleOf({ campaignTitle, task }: CardData): string {
  return campaignName(campaignTitle, task.campaign);
}

/** Returns the heading of a task. An address is shown only where it is evidence. */
function heading(data: CardData): string {
  const kinds = (data.alike ?? []).flatMap((one) => one.kinds);
  const isAddressTelling = kinds.includes('same-address') || kinds.includes('same-network');
  return headingText(data, isAddressTelling ? inline(maskIp(data.task.worker.ip)) : '');
}

/** Renders the task's heading, with a button for the instructions given to its worker. */
function headingBlock(data: CardData): KnownBlock {
  const { account, asked, task } = data;
  if (asked === undefined) return section(heading(data));
  return section(heading(data), {
    block_id: encodeCardBlock({ account, round: task.round }, 'head'),
    accessory: button('Instructions', 'task.instructions', task.id),
  });
}

/** Returns whether a proof has no text. */
export function isOnlyFiles({ proof }: Task): boolean {
  return proof.slots.length === 0;
}

/** Renders the proof, with its first picture beside the text. A proof of pictures alone shows them large. */
function proofBlocks({ asked, task }: CardData): KnownBlock[] {
  const { files } = task.proof;
  const { shown } = filesOnCard(task);
  const [picture] = isOnlyFiles(task) ? [] : shown;
  const rest = files.filter(({ index }) => !shown.some((one) => one.index === index));
  return [
    ...askedBlocks(asked, task, task.before ? 'Now' : 'Proof', picture && pictureElement(files, picture)),
    ...(rest.length === 0 ? [] : [context(filesLine(rest, filesListed))]),
    ...filesWarning(task.proof),
    ...(isOnlyFiles(task) ? pictureBlocks(files, shown) : []),
  ];
}

function stateBlocks(task: Task): KnownBlock[] {
  const line = stateLine(task);
  return line === undefined ? [] : [section(line)];
}

/** Returns the line with the assignee, while the task can be decided on. */
function assignmentBlocks(task: Task): KnownBlock[] {
  return task.assignment && isOpen(task) ? [context(assignmentLine(task.assignment))] : [];
}

function buttonBlocks({ account, task }: CardData): KnownBlock[] {
  if (!isOpen(task)) {
    const { decision, worker } = task;
    const canUndo = decision?.state === 'waiting' || decision?.state === 'held';
    const undo = canUndo
      ? [button(undoLabel(decision.verdict, worker.name ?? worker.id), 'task.undo', task.id)]
      : [];
    const decided = decision ? { decision: decision.id } : {};
    const shown = encodeCardBlock({ account, round: task.round, ...decided });
    return [actions(shown, [...undo, menuOf(task)])];
  }
  return [
    actions(encodeCardBlock({ account, round: task.round }), [
      button('OK', 'task.ok', task.id, { style: 'primary' }),
      button('REVISE', 'task.revise', task.id),
      button('NOK', 'task.nok', task.id, { style: 'danger' }),
      ...(isProofCut(task) ? [button('Full proof', 'task.proof', task.id)] : []),
      ...filesButtons(task),
      ...(linksIn(task.proof.slots).length > 0 ? [button('Links…', 'task.more.links', task.id)] : []),
      menuOf(task),
    ]),
  ];
}

/** Returns the button that opens the files of a task, or loads their list. */
function filesButtons(task: Task): Button[] {
  if (!task.detailed) return [button('Files…', 'task.more.files', task.id)];
  const { shown, counted, named } = filesOnCard(task);
  const large = isOnlyFiles(task) ? shown.length : 0;
  const pictures = counted.length + shown.length - large;
  if (pictures + named.length === 0) return [];
  return [button(filesButton(named.length, pictures, large), 'task.files', task.id)];
}

/**
 * Returns the card's menu, with at most five entries; the prefix of an entry's value names the feature that handles it.
 */
function menuOf(task: Task): Overflow {
  const mayHaveFiles = !task.detailed || task.proof.files.length > 0;
  const [take, word] = task.assignment === undefined ? ['Take', 'take'] : ['Unassign', 'release'];
  return {
    type: 'overflow',
    action_id: 'task.more',
    options: [
      ...(isOpen(task)
        ? [
            option('OK with bonus or favorite', menuValue('extras', task.id)),
            option(take, menuValue(word, assignValue(task))),
          ]
        : [
            option('Full proof', menuValue('proof', task.id)),
            ...(mayHaveFiles ? [option('Files…', menuValue('files', task.id))] : []),
          ]),
      option('Worker…', menuValue('worker', task.id)),
      option('Notes…', menuValue('notes', task.id)),
      option('Details…', menuValue('details', task.id)),
    ],
  };
}

function fallback(data: CardData): string {
  const { task } = data;
  const proof = task.proof.slots.map((slot) => inline(slot, 120)).join(' / ');
  const state = stateLine(task);
  const what =
    state ??
    `New task by worker ${inline(task.worker.id, 60)}${task.before === undefined ? '' : ', resubmitted'}`;
  return plain(cut(`${titleOf(data)}: ${what}${proof && !state ? `: ${proof}` : ''}`, 500));
}
