import type { Campaign } from '../../domain/campaign.ts';
import { searchCampaigns } from '../../domain/campaign-search.ts';
import { countryName } from '../../domain/evidence/travel.ts';
import type { FocusFilter } from '../../domain/focus.ts';
import type { Task } from '../../domain/task.ts';
import { UserError } from '../../errors.ts';
import { inline } from '../../slack/mrkdwn.ts';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const waitingUnreadable =
  'Say how long the tasks have waited as a number with `d`, `h` or `m`, such as `waiting:2d`.';

/** Returns the error for a filter without a value. */
function filterIncomplete(name: string): string {
  return `Write what \`${name}:\` is to be right behind it, without a space, such as \`${name === 'country' ? 'country:Kenya' : 'worker:ines_13'}\`.`;
}

/** Every task. */
export const noFilter: FocusFilter = { label: '' };
/** The reviewer's own tasks. */
export const mineOnly: FocusFilter = { mine: true, label: 'your tasks' };

/**
 * Parses the arguments of `/review`: `mine`, `worker:…`, `country:…` and `waiting:2d` (also `h`, `m`) in any order; the
 * rest is a campaign's id or part of titles, else part of the proof. Throws a UserError for a filter without a value.
 */
export function parseFilter(
  typed: string,
  campaigns: readonly Pick<Campaign, 'id' | 'title'>[],
): FocusFilter {
  const words: string[] = [];
  const found: { worker?: string; country?: string; waitingMs?: number; mine?: true } = {};
  for (const word of typed.trim().split(/\s+/)) {
    const [, typedName, value = ''] = /^(worker|country|waiting):(.*)$/i.exec(word) ?? [];
    const name = typedName?.toLowerCase();
    if (name === 'waiting') found.waitingMs = duration(value);
    else if (name !== undefined && value === '') throw new UserError(filterIncomplete(name));
    else if (name === 'worker') found.worker = value;
    else if (name === 'country') found.country = value;
    else if (word.toLowerCase() === 'mine') found.mine = true;
    else if (word !== '') words.push(word);
  }
  const rest = words.join(' ');
  const { found: all, only } = searchCampaigns(campaigns, rest);
  const matching = only ? [only] : all;
  const about =
    rest === '' ? {} : matching.length > 0 ? { campaigns: matching.map(({ id }) => id) } : { text: rest };
  return { ...about, ...found, label: filterLabel(rest === '' ? '' : (only?.title ?? rest), found) };
}

/** Returns a filter for display, in mrkdwn. @param about the campaign or text filtered by; '' for none */
export function filterLabel(about: string, filter: Parameters<typeof parts>[0]): string {
  const label = [about, ...parts(filter)].filter((part) => part !== '');
  return label.map((part) => inline(part, 80)).join(' · ');
}

function parts({
  worker,
  country,
  waitingMs,
  mine,
}: Pick<FocusFilter, 'worker' | 'country' | 'waitingMs' | 'mine'>): string[] {
  return [
    ...(mine ? [mineOnly.label] : []),
    ...(worker ? [`worker ${worker}`] : []),
    ...(country ? [`country ${country}`] : []),
    ...(waitingMs === undefined ? [] : [`waiting for ${lengthOf(waitingMs)}`]),
  ];
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

/** Returns whether a task matches the filter. */
export function matches(filter: FocusFilter, task: Task, now: number): boolean {
  const { campaigns, worker, country, text, waitingMs } = filter;
  const since = task.submittedAt ?? task.proof.finishedAt;
  const same = (one: string | undefined, other: string) => one?.toLowerCase() === other.toLowerCase();
  return (
    (campaigns === undefined || campaigns.includes(task.campaign)) &&
    (worker === undefined || same(task.worker.id, worker) || same(task.worker.name, worker)) &&
    (country === undefined || same(countryName(task.worker.country), countryName(country))) &&
    (text === undefined ||
      task.proof.slots.some((slot) => slot.toLowerCase().includes(text.toLowerCase()))) &&
    (waitingMs === undefined || (since !== undefined && since <= now - waitingMs))
  );
}
