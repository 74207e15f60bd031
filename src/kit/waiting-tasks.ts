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

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const waitingUnreadable =
  'Say how long the tasks have waited as a number with `d`, `h` or `m`, such as `waiting:2d`.';

const filterIncomplete =
  'Write what a filter is to be right behind it, without a space, such as `country:Kenya` or `worker:ines_13`.';

export const noFilter: FocusFilter = { label: '' };
export const mineOnly: FocusFilter = { mine: true, label: 'your tasks' };

const part = /(?:(?:worker|country|waiting|campaign):)?["“„«][^"“”„«»]*["”“»](?=\s|$)|\S+/giu;
const named = /^(worker|country|waiting|campaign):(.*)$/isu;
const isFilter = (word: string) => named.test(word) || word.toLowerCase() === 'mine';
const isCountry = (words: string) =>
  words.split(' ').every((word) => /[a-z]/iu.test(word)) && countryCode(words) !== undefined;
const unquoted = (value: string) => value.replace(/^["“„«](.*)["”“»]$/su, '$1').trim();

/**
 * Parses the arguments of `/review`: `mine`, `worker:…`, `country:…` and `waiting:2d` (also `h`, `m`) in any order; the
 * rest, also behind `campaign:`, is a campaign's id or title, else part of the proof. A name may be in quotes; without
 * them, as many words belong to it as are the name of a country or a worker. Throws a UserError for a filter without a
 * value.
 * @param isWorker returns whether a worker has that name
 */
export async function parseFilter(
  typed: string,
  campaigns: readonly Pick<Campaign, 'id' | 'title'>[],
  isWorker: (name: string) => Promise<boolean>,
): Promise<FocusFilter> {
  const parts = typed.match(part) ?? [];
  const words: string[] = [];
  const found: { worker?: string; country?: string; waitingMs?: number; mine?: true } = {};

  /** Returns a name that begins with a value, and takes its other words off the parts. */
  async function nameFrom(
    first: string,
    isName: (name: string) => boolean | Promise<boolean>,
  ): Promise<string> {
    const end = parts.findIndex(isFilter);
    const following = parts.slice(0, end === -1 ? mostWords : Math.min(end, mostWords));
    for (let count = following.length; count > 0; count -= 1) {
      const name = [first, ...following.slice(0, count)].join(' ');
      if (!(await isName(name))) continue;
      parts.splice(0, count);
      return name;
    }
    return first;
  }

  for (let word = parts.shift(); word !== undefined; word = parts.shift()) {
    const [, typedName, value = ''] = named.exec(word) ?? [];
    const name = typedName?.toLowerCase();
    const given = unquoted(value);
    const isQuoted = given !== value;
    if (name === 'waiting') found.waitingMs = duration(given);
    else if (name !== undefined && given === '') throw new UserError(filterIncomplete);
    else if (name === 'worker') found.worker = isQuoted ? given : await nameFrom(given, isWorker);
    else if (name === 'country') found.country = isQuoted ? given : await nameFrom(given, isCountry);
    else if (name === 'campaign') words.push(given);
    else if (word.toLowerCase() === 'mine') found.mine = true;
    else words.push(word);
  }
  const rest = unquoted(words.join(' '));
  const { found: all, only } = searchCampaigns(campaigns, rest);
  const matching = only ? [only] : all;
  const about =
    rest === '' ? {} : matching.length > 0 ? { campaigns: matching.map(({ id }) => id) } : { text: rest };
  return { ...about, ...found, label: filterLabel(rest === '' ? '' : (only?.title ?? rest), found) };
}

/** Maximum number of words that may follow the first one of a name. */
const mostWords = 5;

/** Returns a filter for display, in mrkdwn. @param about the campaign or text filtered by; '' for none */
export function filterLabel(
  about: string,
  { worker, country, waitingMs, mine }: Pick<FocusFilter, 'worker' | 'country' | 'waitingMs' | 'mine'>,
): string {
  const parts = [
    about,
    mine ? mineOnly.label : '',
    worker ? `worker ${worker}` : '',
    country ? `country ${country}` : '',
    waitingMs === undefined ? '' : `waiting for ${lengthOf(waitingMs)}`,
  ];
  return joined(parts.map((part) => inline(part, 80)));
}

function duration(text: string): number {
  const [, count, unit] = /^(\d{1,4})([mhd])$/i.exec(text) ?? [];
  if (!count || !unit) throw new UserError(waitingUnreadable);
  return Number(count) * unitMs[unit.toLowerCase() as keyof typeof unitMs];
}

function lengthOf(ms: number): string {
  for (const [unit, word] of [
    ['d', 'day'],
    ['h', 'hour'],
    ['m', 'minute'],
  ] as const) {
    const count = ms / unitMs[unit];
    if (Number.isInteger(count)) return `${count} ${word}${count === 1 ? '' : 's'}`;
  }
  return '';
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
