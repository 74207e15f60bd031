import type { KnownBlock } from '@slack/types';
import type { Asked } from '../domain/campaign.ts';
import { countryName, type LikenessKind, mostAlike, type Travel } from '../domain/evidence/likeness.ts';
import { comparedText, isOnlyInstructions } from '../domain/evidence/texts.ts';
import type { Task } from '../domain/task.ts';
import { type AccountId, type TaskId, verdicts } from '../domain/terms.ts';
import { button, context, section } from '../slack/blocks.ts';
import { encodeCardBlock } from '../slack/message-tags.ts';
import { inline } from '../slack/mrkdwn.ts';
import type { AlikeTask } from '../store/evidence.ts';
import { capital, counted, ratingWords } from './words.ts';
import { type WorkerFacts, workerFactsWords } from './worker.view.ts';

/** What kinds count, tasks or their workers, in words; the strongest first. */
const countedWords: readonly (readonly [kinds: LikenessKind[], of: 'task' | 'worker', words: string])[] = [
  [['same-file', 'same-picture'], 'task', 'same picture as'],
  [['same-text'], 'task', 'same text as'],
  [['same-code'], 'task', 'same code as'],
  [['near-text'], 'task', 'nearly the same text as'],
  [['same-link'], 'task', 'same link as'],
  [['same-address'], 'worker', 'same IP as'],
  [['same-network'], 'worker', 'same network as'],
];

/** Tasks with something in common, by id, as far as they are known. */
export type Twins = ReadonlyMap<TaskId, Pick<Task, 'worker' | 'rating'>>;

/** How many facts a card has on its second line; more are behind the button. */
const secondLine = 2;

/**
 * Returns the evidence on a task: the strongest on a line, the next on another, with the button that compares side by side.
 * Evidence never decides anything.
 */
export function evidenceBlocks(
  account: AccountId,
  task: Task,
  alike: readonly AlikeTask[],
  asked: Asked | undefined,
  worker?: WorkerFacts,
  twins?: Twins,
): KnownBlock[] {
  const ofWorker = worker === undefined ? [] : workerFactsWords(worker);
  const [first, ...others] = [...evidenceFacts(task, alike, asked, twins), ...ofWorker];
  if (first === undefined) return [];
  const more = others.length - secondLine;
  const second = [...others.slice(0, secondLine), ...(more > 0 ? [`${more} more`] : [])];
  const text = [
    `:mag: ${capital(first)}`,
    ...(second.length === 0 ? [] : [capital(second.join(' · '))]),
  ].join('\n');
  if (alike.length + ofWorker.length === 0) return [context(text)];
  const unfold =
    alike.length === 0
      ? button('Record…', 'evidence.open', task.id, { label: 'Show the record of the worker' })
      : button('Compare…', 'evidence.open', task.id, {
          label: 'Compare with similar tasks',
        });
  const blockId = encodeCardBlock({ account, round: task.round }, 'evidence');
  return [section(text, { block_id: blockId, accessory: unfold })];
}

/** Returns what a task has in common with others, or with its instructions; the strongest first. */
export function evidenceFacts(
  task: Task,
  alike: readonly AlikeTask[],
  asked: Asked | undefined,
  twins?: Twins,
): string[] {
  return [...factsOf(alike, twins), ...instructionsFact(task, asked)];
}

function instructionsFact({ proof }: Task, asked: Asked | undefined): string[] {
  if (asked === undefined) return [];
  const given = [asked.work, ...asked.proofs].join('\n');
  const isCopied = proof.slots.some((slot) => {
    const text = comparedText(slot);
    return text !== undefined && isOnlyInstructions(text, given);
  });
  return isCopied ? ['text just repeats the instructions'] : [];
}

/**
 * Returns what a task has in common with others, the strongest first. @param twins names one of them with its rating, rather
 * than counting
 */
export function factsOf(alike: readonly AlikeTask[], twins?: Twins): string[] {
  const isSameAddress = alike.some(({ kinds }) => kinds.includes('same-address'));
  const found = countedWords.flatMap(([wanted, of, words]) => {
    const tasks = alike.filter(({ kinds }) => kinds.some((kind) => wanted.includes(kind)));
    // Whoever has the same IP is in the same network.
    if (tasks.length === 0 || (isSameAddress && wanted.includes('same-network'))) return [];
    const count = of === 'task' ? tasks.length : new Set(tasks.map(({ worker }) => worker)).size;
    const isCut = alike.length >= mostAlike && tasks.length >= mostAlike / 2;
    const twin = isCut ? undefined : twinOf(tasks, twins);
    const many = `${isCut ? 'at least ' : ''}${counted(count, of)}`;
    const one =
      twin === undefined ? many : `${twin}${count > 1 ? ` and ${counted(count - 1, `more ${of}`)}` : ''}`;
    return [`${words} ${one}`];
  });
  const travels = alike.flatMap(({ travel }) => travel ?? []);
  const [quickest] = travels.toSorted((a, b) => a.minutes - b.minutes);
  return [...found, ...(quickest ? [travelWords(quickest)] : [])];
}

/** Names a task with its rating, a rated one if there is any. That one waits is not said: it would go stale. */
function twinOf(tasks: readonly AlikeTask[], twins: Twins | undefined): string | undefined {
  const known = tasks.flatMap(({ task }) => twins?.get(task) ?? []);
  const isRated = ({ rating }: Pick<Task, 'rating'>) => verdicts.some((verdict) => verdict === rating);
  const twin = known.find(isRated) ?? known[0];
  if (twin === undefined) return undefined;
  const name = inline(twin.worker.name ?? twin.worker.id, 60);
  return isRated(twin) ? `${name} (${ratingWords[twin.rating]})` : name;
}

function travelWords({ countries, minutes }: Travel): string {
  const within = minutes < 1 ? 'a minute' : counted(minutes, 'minute');
  return `same worker in ${countries.map(countryName).join(' and ')} within ${within}`;
}
