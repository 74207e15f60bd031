import type { Button, InputBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { type Campaign, searchCampaigns, titleKey } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/collections.ts';
import { countryCode, countryName } from '../../domain/evidence/likeness.ts';
import type { FocusFilter } from '../../domain/focus.ts';
import type { Task } from '../../domain/task.ts';
import {
  AccountId,
  type AccountRef,
  CampaignId,
  type ChannelId,
  type MemberId,
  TaskId,
} from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import { actions, type ButtonLook, button, limits, plainText } from '../../slack/blocks.ts';
import type { Click, OpenView } from '../../slack/feature.ts';
import { codec } from '../../slack/form-values.ts';
import { inline } from '../../slack/mrkdwn.ts';
import type { RateLimiter } from '../../store/pauses.ts';
import { joined } from '../../ui/words.ts';

/** Means no specific account: the account of the member who clicks is used. */
const anyAccount = 'none';

/** The tasks of a review; absent: those of the account, or of the button's channel. */
interface ReviewStart {
  readonly account?: AccountId;
  readonly campaign?: CampaignId;
}

/** Returns the button that starts a review. */
export function reviewButton({ account, campaign }: ReviewStart, look: ButtonLook = {}): Button {
  const value = [account ?? anyAccount, ...(campaign === undefined ? [] : [campaign])].join(' ');
  return button('Start review', 'focus.start', value, look);
}

/** Decodes the button's value. */
export function decodeReviewStart(value: string): ReviewStart {
  const [account = anyAccount, ...campaign] = value.split(' ');
  return {
    ...(account === anyAccount ? {} : { account: AccountId.parse(account) }),
    ...(campaign.length === 0 ? {} : { campaign: CampaignId.parse(campaign.join(' ')) }),
  };
}

/** Returns the button that starts a review of the reader's own tasks. */
export function mineButton(account: AccountId): Button {
  return button('Review my tasks', 'focus.mine', account, { style: 'primary' });
}

/** State of every view of a focus review: its step, and the task it shows. */
const FocusState = z.object({
  account: AccountId,
  session: z.string(),
  step: z.number(),
  /** Absent when no task is left. */
  task: TaskId.exactOptional(),
  round: z.number().exactOptional(),
});
export type FocusState = z.infer<typeof FocusState>;

const InView = z.object({ focus: FocusState });
const inView = codec('form', InView, 'Start the review again: `/review`.');

export function encodeFocus(focus: FocusState): string {
  return inView.encode({ focus });
}

/** Decodes the state of a view; throws a UserError if it has none. */
export function decodeFocus(text: string): FocusState {
  return inView.decode(text).focus;
}

export const closeLabel = 'End review';

export const backButton = actions('focus.back', [button('Back to the task', 'focus.back', 'back')]);

/**
 * Returns another feature's form in the frame of a focus review: it keeps its own state, closing it ends the review, and
 * a button returns to the task.
 */
export function framed(form: ModalView, callbackId: string, focus: FocusState): ModalView {
  const own = JSON.parse(form.private_metadata ?? '{}') as object;
  return {
    ...form,
    callback_id: callbackId,
    private_metadata: JSON.stringify({ ...own, focus }),
    close: plainText(closeLabel, limits.modalTitle),
    notify_on_close: true,
    blocks: [...(offersReasons(form) ? form.blocks.map(optionalComment) : form.blocks), backButton],
  };
}

function offersReasons({ blocks }: ModalView): boolean {
  return blocks.some(({ block_id: id }) => id?.startsWith('reason.'));
}

/** A chosen reason may not be in its input yet on submit, so the required check happens then. */
function optionalComment(block: ModalView['blocks'][number]): ModalView['blocks'][number] {
  if (block.type !== 'input' || !block.block_id?.startsWith('comment.')) return block;
  const comment = block as InputBlock;
  return comment.optional ? comment : { ...comment, optional: true, hint: plainText(reasonHint, 2_000) };
}

/** Slack labels the input optional. */
const reasonHint = 'Required unless you chose a saved reason above.';

interface ModalUpdates {
  replace(click: Click, open: OpenView, form: ModalView): Promise<void>;
}

/**
 * Returns form updates that keep an open form's frame. While Slack
 * limits updates, the choice is filled in only on submit, so that the next tasks of reviews come first.
 */
export function inFrame({ replace }: ModalUpdates, rateLimiter: Pick<RateLimiter, 'acquire'>): ModalUpdates {
  return {
    async replace(click, open, form) {
      const focus = frameOf(open.state);
      if (focus === undefined) return replace(click, open, form);
      const call = { workspace: click.workspace, method: 'views.update', isBackground: true };
      if ((await rateLimiter.acquire(call)) === 0)
        await replace(click, open, framed(form, open.callbackId, focus));
    },
  };
}

/** Returns the review state in a framed form; undefined for a form elsewhere. */
export function frameOf(state: string): FocusState | undefined {
  try {
    return InView.safeParse(JSON.parse(state)).data?.focus;
  } catch {
    return undefined;
  }
}

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
  'Put the name right after the colon, without a space, such as `country:Kenya` or `worker:ines_13`.';
const countryUnknown = (name: string) =>
  `No country is called “${inline(name, 80)}”. Put several words in quotes, such as \`country:"South Korea"\`.`;

export const noFilter: FocusFilter = { label: '' };
export const mineOnly: FocusFilter = { mine: true, label: 'your tasks' };

/** How a filter is typed, in mrkdwn. */
export const filterHelp =
  'Filters: `mine`, part of a title or of the proof, `worker:…`, `country:…`, `waiting:2d`. Put several words in quotes.';

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
  if (unit === undefined) throw new UserError(waitingUnreadable);
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
