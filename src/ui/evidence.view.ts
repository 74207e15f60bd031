import type { KnownBlock } from '@slack/types';
import type { Asked } from '../domain/brief.ts';
import { type LikenessKind, mostAlike } from '../domain/evidence/likeness.ts';
import { comparedText, isOnlyInstructions } from '../domain/evidence/texts.ts';
import { countryName, type Travel } from '../domain/evidence/travel.ts';
import { unchangedPictures } from '../domain/picture.ts';
import type { Task } from '../domain/task.ts';
import type { AccountId } from '../domain/terms.ts';
import { button, context, section } from '../slack/blocks.ts';
import { encodeCardBlock } from '../slack/message-tags.ts';
import type { AlikeTask } from '../store/evidence.ts';
import { capital } from './words.ts';
import { type WorkerFacts, workerFactsWords } from './worker.view.ts';

/** Action id of the button that shows tasks side by side; views of other features use it too. */
export const lookAlikeAction = 'evidence.open';

/** What a kind counts: tasks, or their workers. */
const countedWords: Readonly<Partial<Record<LikenessKind, readonly ['tasks' | 'workers', string]>>> = {
  'same-text': ['tasks', 'same text as'],
  'near-text': ['tasks', 'nearly the same text as'],
  'same-file': ['tasks', 'same picture file as'],
  'same-picture': ['tasks', 'same picture as'],
  'same-code': ['tasks', 'same code as'],
  'same-link': ['tasks', 'same link as'],
  'same-address': ['workers', 'same IP as'],
  'same-network': ['workers', 'same network as'],
  'same-browser': ['workers', 'same rare browser as'],
};

/**
 * Returns the evidence on a task: one line, with the button that compares side by side. Evidence never decides anything.
 */
export function evidenceBlocks(
  account: AccountId,
  task: Task,
  alike: readonly AlikeTask[],
  asked: Asked | undefined,
  worker?: WorkerFacts,
): KnownBlock[] {
  const ofWorker = worker === undefined ? [] : workerFactsWords(worker);
  const facts = [...instructionsFact(task, asked), ...factsOf(alike), ...ofWorker];
  if (facts.length === 0) return [];
  const line = `:mag: ${capital(facts.join(' · '))}`;
  if (alike.length + ofWorker.length === 0) return [context(line)];
  const unfold =
    alike.length === 0
      ? button('Record…', lookAlikeAction, task.id, { label: 'Show the record of the worker' })
      : button('Look alike…', lookAlikeAction, task.id, {
          label: 'Show the tasks that look alike side by side',
        });
  const blockId = encodeCardBlock({ account, round: task.round }, 'evidence');
  return [section(line, { block_id: blockId, accessory: unfold })];
}

function instructionsFact({ proof }: Task, asked: Asked | undefined): string[] {
  if (asked === undefined) return [];
  const given = [asked.work, ...asked.proofs].join('\n');
  const isCopied = proof.slots.some((slot) => {
    const text = comparedText(slot);
    return text !== undefined && isOnlyInstructions(text, given);
  });
  return isCopied ? ['text is only the instructions again'] : [];
}

/** Returns what a task has in common with others, each fact with its numbers. */
export function factsOf(alike: readonly AlikeTask[]): string[] {
  const counted = Object.entries(countedWords).flatMap(([kind, [of, words]]) => {
    const found = alike.filter(({ kinds }) => kinds.includes(kind as LikenessKind));
    const count = of === 'tasks' ? found.length : new Set(found.map(({ worker }) => worker)).size;
    if (count === 0) return [];
    const least = alike.length >= mostAlike && found.length >= mostAlike / 2 ? 'at least ' : '';
    return [`${words} ${least}${count} ${count === 1 ? of.slice(0, -1) : of}`];
  });
  const travels = alike.flatMap(({ travel }) => travel ?? []);
  const [quickest] = travels.toSorted((a, b) => a.minutes - b.minutes);
  const paces = alike.flatMap(({ pace }) => pace ?? []).toSorted((a, b) => a.ms - b.ms);
  const [pace] = paces;
  return [
    ...counted,
    ...(quickest ? [`worker was ${travelWords(quickest)}`] : []),
    ...(pace ? [`${paceWords(pace)} from another task of this worker`] : []),
  ];
}

/** Returns the line that tells which pictures of a corrected task are those of the round before; '' if none is. */
export function unchangedPicturesLine(task: Pick<Task, 'before' | 'pictures'>): string {
  const { known, same } = unchangedPictures(task);
  if (same === 0) return '';
  if (same < known) return `\n:mag: ${same} of ${known} pictures are the same as before the correction`;
  return `\n:mag: Same ${same === 1 ? 'picture' : 'pictures'} as before the correction`;
}

function travelWords({ countries, minutes }: Travel): string {
  const within = minutes < 1 ? 'a minute' : duration(minutes * 60_000);
  return `in ${countries.map(countryName).join(' and ')} within ${within}`;
}

/** Returns how close together two tasks are, and the measure used. */
function paceWords({ ms, quickest }: NonNullable<AlikeTask['pace']>): string {
  return `${duration(ms)} (only 1 in 20 here is under ${duration(quickest)})`;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
