import { type Campaign, searchCampaigns, titleKey } from '../domain/campaign.ts';
import { chunksOf } from '../domain/collections.ts';
import { countryCode, countryName } from '../domain/evidence/likeness.ts';
import type { FocusFilter } from '../domain/focus.ts';
import type { Task } from '../domain/task.ts';
import type { AccountRef, CampaignId, ChannelId, MemberId, TaskId } from '../domain/terms.ts';
import { UserError } from '../errors.ts';
import { inline } from '../slack/mrkdwn.ts';
import { joined } from '../ui/words.ts';
import type { Modules } from './modules.ts';

/** Maximum number of waiting tasks examined for a filter, and the batch size. */
const maxLookedAt = 20_000;
const recordsAtOnce = 500;
const hourMs = 3_600_000;

export function createWaitingTasks({ tasks, clock }: Modules) {
  async function ordered(ref: AccountRef, member: MemberId, { mine }: FocusFilter): Promise<TaskId[]> {
    const [waiting, sorted, [urgent = 0]] = await Promise.all([
      tasks.open.queue(ref, maxLookedAt),
      tasks.assignments.sorted(ref, member),
      tasks.open.countsUntil(ref, [clock.now() + urgentHours * hourMs]),
    ]);
    return mine ? waiting.filter((id) => sorted.mine.has(id)) : reviewOrder(waiting, sorted, urgent);
  }

  return {
    /**
     * Returns the waiting tasks that match a filter: earliest deadline first, then longest waiting; the member's own
     * before those of others. @param isGone whether nobody waits for them any more
     */
    async inOrder(
      ref: AccountRef,
      member: MemberId,
      filter: FocusFilter,
      isGone = () => false,
    ): Promise<TaskId[]> {
      const all = await ordered(ref, member, filter);
      const named = filter.tasks && new Set(filter.tasks);
      const own = filter.campaigns && new Set(await tasks.open.ofCampaigns(ref, filter.campaigns));
      const ids = all.filter((id) => (named?.has(id) ?? true) && (own?.has(id) ?? true));
      if (!looksAtTasks(filter)) return ids;
      const found: TaskId[] = [];
      for (const some of chunksOf(ids, recordsAtOnce)) {
        if (isGone()) break;
        for (const task of await tasks.getMany(ref, some))
          if (matches(filter, task, clock.now())) found.push(task.id);
      }
      return found;
    },
  };
}

/** Returns the filter of a channel: tasks whose cards go there, and those counted in its digests. */
export async function filterOfChannel(
  { campaigns, channels }: Modules,
  ref: AccountRef,
  channel: ChannelId,
): Promise<FocusFilter> {
  const [listed, ofAccount] = await Promise.all([campaigns.all(ref), channels.digests.ofAccount(ref)]);
  const told = ofAccount.filter((digest) => digest.channel === channel);
  const isTold = (id: CampaignId) => told.some(({ campaign = id }) => campaign === id);
  const own = [];
  for (const { id, tasksNotRated } of listed)
    if (tasksNotRated > 0 && (isTold(id) || (await channels.routing.forCampaign(ref, id)) === channel))
      own.push(id);
  const isAll = own.length === listed.filter(({ tasksNotRated }) => tasksNotRated > 0).length;
  return isAll ? noFilter : { ...noFilter, campaigns: own };
}

/** Returns the filter of a campaign's tasks. */
export async function filterOfCampaign(
  { campaigns }: Modules,
  ref: AccountRef,
  id: CampaignId,
): Promise<FocusFilter> {
  return { campaigns: [id], label: inline(await campaigns.titleOf(ref, id), 80) };
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const waitingUnreadable =
  'Say how long the tasks have waited as a number with `d`, `h` or `m`, such as `waiting:2d`.';
const filterIncomplete =
  'Write what a filter is to be right behind it, without a space, such as `country:Kenya` or `worker:ines_13`.';
const countryUnknown = (name: string) =>
  `No country is called “${inline(name, 80)}”. Put several words in quotes, such as \`country:"South Korea"\`.`;

export const noFilter: FocusFilter = { label: '' };
export const mineOnly: FocusFilter = { mine: true, label: 'your tasks' };

/** How a filter is typed, in mrkdwn. */
export const filterHelp =
  'Filters: `mine`, part of a title or of the proof, `worker:…`, `country:…`, `waiting:2d`.';

const part = /(?:(?:worker|country|waiting):)?["“„«][^"“”„«»]*["”“»](?=\s|$)|\S+/giu;
const named = /^(worker|country|waiting):(.*)$/isu;
const unquoted = (value: string) => value.replace(/^["“„«](.*)["”“»]$/su, '$1').trim();

/**
 * Parses a typed filter: `mine`, `worker:…`, `country:…` and `waiting:2d` (also `h`, `m`) in any order; the rest is a
 * campaign's id or title, else part of the proof. A name of several words is in quotes. Throws a UserError for a filter
 * without a value.
 */
export function parseFilter(
  typed: string,
  campaigns: readonly Pick<Campaign, 'id' | 'title'>[],
): FocusFilter {
  const words: string[] = [];
  const filters: string[] = [];
  const found: { worker?: string; country?: string; waitingMs?: number; mine?: true } = {};
  for (const word of typed.match(part) ?? []) {
    const [, name, value = ''] = named.exec(word) ?? [];
    const isMine = word.toLowerCase() === 'mine';
    (name === undefined && !isMine ? words : filters).push(word);
    if (isMine) found.mine = true;
    if (name === undefined) continue;
    const given = unquoted(value);
    if (name.toLowerCase() === 'waiting') found.waitingMs = duration(given);
    else if (given === '') throw new UserError(filterIncomplete);
    else if (name.toLowerCase() === 'worker') found.worker = given;
    else if (countryCode(given) === undefined) throw new UserError(countryUnknown(given));
    else found.country = given;
  }
  const rest = unquoted(words.join(' '));
  const { found: all, only } = searchCampaigns(campaigns, rest);
  const matching = only ? [only] : all;
  const about =
    rest === '' ? {} : matching.length > 0 ? { campaigns: matching.map(({ id }) => id) } : { text: rest };
  const label = joined([only?.title ?? rest, ...filters].map((one) => inline(one, 80)));
  return { ...about, ...found, label };
}

/** Returns the filter that somebody typed. */
export async function filterTyped(
  { campaigns }: Modules,
  ref: AccountRef,
  typed: string,
): Promise<FocusFilter> {
  return typed.trim() === '' ? noFilter : parseFilter(typed, await campaigns.all(ref));
}

function duration(text: string): number {
  const [, count, unit] = /^(\d{1,4})([mhd])$/i.exec(text) ?? [];
  if (!count || !unit) throw new UserError(waitingUnreadable);
  return Number(count) * unitMs[unit.toLowerCase() as keyof typeof unitMs];
}

/** Returns whether the filter goes beyond campaigns, so that each task must be loaded. */
export function looksAtTasks({ worker, country, text, waitingMs }: FocusFilter): boolean {
  return [worker, country, text, waitingMs].some((part) => part !== undefined);
}

export function matches(filter: FocusFilter, task: Task, now: number): boolean {
  const { campaigns, worker, country, text, waitingMs } = filter;
  const since = task.submittedAt ?? task.proof.finishedAt;
  const same = (one: string | undefined, other: string) =>
    one !== undefined && titleKey(one) === titleKey(other);
  return (
    (campaigns === undefined || campaigns.includes(task.campaign)) &&
    (worker === undefined || same(task.worker.id, worker) || same(task.worker.name, worker)) &&
    (country === undefined || same(countryName(task.worker.country), countryName(country))) &&
    (text === undefined ||
      task.proof.slots.some((slot) => slot.toLowerCase().includes(text.toLowerCase()))) &&
    (waitingMs === undefined || (since !== undefined && since <= now - waitingMs))
  );
}

/** Tasks that are due within these hours come first in a review, whoever they are assigned to. */
export const urgentHours = 6;

/**
 * Returns a queue in a member's review order: urgent tasks, then their own, then unassigned ones, then those of others.
 * Within each group the order stays: earliest deadline first.
 * @param urgent number of tasks at the start of the queue that are due soon
 */
export function reviewOrder(
  queue: readonly TaskId[],
  { mine, others }: { readonly mine: ReadonlySet<TaskId>; readonly others: ReadonlySet<TaskId> },
  urgent: number,
): TaskId[] {
  const rest = queue.slice(urgent);
  return [
    ...queue.slice(0, urgent),
    ...rest.filter((task) => mine.has(task)),
    ...rest.filter((task) => !mine.has(task) && !others.has(task)),
    ...rest.filter((task) => others.has(task)),
  ];
}
