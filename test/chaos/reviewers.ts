import { setTimeout as wait } from 'node:timers/promises';
import type { Verdict } from '../../src/domain/terms.ts';
import type { Random } from '../../src/sandbox/marketplace/index.ts';
import { decodeCardBlock } from '../../src/slack/card-block.ts';
import type { MarketplaceHandle } from '../harness/marketplace.ts';
import { sandboxClient } from '../harness/slack-client.ts';
import { createBulkActs } from './bulk-acts.ts';
import { createCardActs } from './card-acts.ts';
import type { ChannelView, SeenCard } from './channel-view.ts';
import { createDeskActs, holderOf, shows } from './desk-acts.ts';
import { type DeskAct, leftToDo } from './exercised.ts';
import { createFocusActs } from './focus-acts.ts';
import { logDecision, type ReviewLog } from './log.ts';
import { bonusAboveLimit, owners } from './money.ts';
import { ownChannel, sharedChannel } from './places.ts';
import { createRoleActs } from './role-acts.ts';
import { shuffled } from './schedule.ts';
import { createScreen, patienceMs, type Screen } from './screen.ts';

export const reviewers = ['U01ANN', 'U02BEN', 'U03CHLOE', 'U04DAN'] as const;
/** The only reviewer who has connected his own key. */
export const ownKeyReviewer = 'U04DAN';

/** The prefix of the campaign titles in that reviewer's own account. */
export const ownTitle = 'Own';
const isOwn = ({ text }: Pick<SeenCard, 'text'>): boolean => new RegExp(`\\*?${ownTitle} \\d`).test(text);

/** The reviewers who use only the shared account. */
const colleagues = reviewers.filter((user) => user !== ownKeyReviewer);
/** The owner of the shared account who changes roles. */
const roleOwner = colleagues.find((user) => owners.includes(user)) ?? '';
/** The share of acts taken from those not done often enough; the others are arbitrary. */
const leftShare = 0.8;
/** When only those are left: how long people wait for the result of a press, and between two acts (ms). */
const lastPatienceMs = 8_000;
const lastPauseMs = 300;

/** How often people look at their channels (ms). */
const lookEveryMs = 250;
/** The minimum age of a summary that is deleted (ms): by then, its bot has recorded the post or has died. */
const deletableAfterMs = 10_000;
/** The minimum count of a summary that is deleted, so that it has to come back. */
const deletableCount = 3;

export interface ReviewParts {
  readonly slackUrl: string;
  readonly marketplace: MarketplaceHandle;
  readonly campaigns: readonly string[];
  readonly view: ChannelView;
  readonly log: ReviewLog;
  readonly random: Random;
  /** Reviewers who are currently doing something else. */
  readonly absent: ReadonlySet<string>;
}

/** Polls the channels, and now and then deletes a summary of waiting tasks, until the signal is aborted. */
export async function watchChannels(
  { view, log, slackUrl, random }: ReviewParts,
  signal: AbortSignal,
): Promise<void> {
  const slack = sandboxClient(slackUrl);

  async function look(): Promise<void> {
    while (!signal.aborted) {
      for (const card of await view.refresh()) logDecision(log, card);
      await wait(lookEveryMs);
    }
  }

  /** Now and then deletes a summary of waiting tasks. */
  async function deleteSummaries(): Promise<void> {
    const seenAt = new Map<string, number>();
    while (!signal.aborted) {
      await wait(1_000 + 2_000 * random.next());
      for (const { channel, ts, count } of view.summaries.values()) {
        const at = seenAt.get(ts) ?? Date.now();
        seenAt.set(ts, at);
        const isDeletable = count >= deletableCount && Date.now() - at > deletableAfterMs;
        if (!isDeletable || random.next() > 0.1) continue;
        log.summariesDeleted += 1;
        // Fails if it was replaced in the meantime.
        await slack.act('delete', { channel, ts }).catch(() => undefined);
      }
    }
  }

  await Promise.all([look(), deleteSummaries()]);
}

/** Restores every withdrawn role, and undoes decisions that wait for one. */
export async function amendRoles({ slackUrl, marketplace, view, log, random }: ReviewParts): Promise<void> {
  const parts = { log, random, view };
  const owner = createScreen(slackUrl, roleOwner, () => false, lastPatienceMs);
  await createRoleActs(parts, createCardActs(parts), marketplace).amend(owner);
}

/**
 * Simulates people who review, undo, rate on the website and correct, all at once, for `spanMs` or until they have made
 * a given number of decisions.
 * @param until `each act done`: they prefer the acts that a run must exercise (exercised.ts), and stop once each was done
 *   often enough
 */
export async function review(
  { slackUrl, marketplace, campaigns, view, log, random, absent }: ReviewParts,
  {
    decisions,
    spanMs,
    until,
  }: {
    readonly decisions: number;
    readonly spanMs: number;
    readonly until: 'outages are over' | 'evening' | 'each act done';
  },
): Promise<void> {
  /** Cards that somebody is deciding on, with the time until which they are reserved; and busy people. */
  const busy = new Map<string, number>();
  const occupied = new Set<string>();
  const end = Date.now() + spanMs;
  const last = log.tried + decisions;
  const isLast = until === 'each act done';
  const left = () => (until === 'outages are over' ? [] : leftToDo(log, view));
  const isOver = () => Date.now() > end || log.tried >= last || (isLast && left().length === 0);
  const waitsMs = isLast ? lastPatienceMs : patienceMs;
  const screens = new Map<string, Screen>(
    reviewers.map((user) => [user, createScreen(slackUrl, user, () => Date.now() > end, waitsMs)] as const),
  );
  /** People controlled by somebody else, for acts of two people together. */
  const guided = new Set<string>();
  const cards = createCardActs({ log, random, view });
  const focusReview = createFocusActs({ log, random }, () => verdictOf(random), isOver);
  const rateMany = createBulkActs({ log, random, view }, () => verdictOf(random));
  const desk = createDeskActs({ log, random, view }, cards, focusReview, colleagues);
  const roles = createRoleActs({ log, random, view }, cards, marketplace);

  function openCards(user: string): SeenCard[] {
    const now = Date.now();
    const mayDecide = (card: SeenCard) => user === ownKeyReviewer || !isOwn(card);
    return [...view.cards.values()].filter(
      (card) => card.buttons['task.ok'] && (busy.get(card.ts) ?? 0) < now && mayDecide(card),
    );
  }

  async function undo(screen: Screen): Promise<void> {
    const { user } = screen;
    const undoable = [...view.cards.values()].filter(
      (card) => card.buttons['task.undo'] && (user === ownKeyReviewer || !isOwn(card)),
    );
    if (undoable.length === 0) return;
    const card = random.pick(undoable);
    const block = card.buttons['task.undo'] ?? '';
    const decision = decodeCardBlock(block)?.decision;
    if (decision !== undefined) log.undone.add(decision);
    await cards.click(screen, card, 'task.undo', block);
  }

  /** Decides on a card, now and then at the same time as a colleague, or as somebody on the website. */
  async function decideOnCard(screen: Screen, card: SeenCard): Promise<void> {
    const others = isOwn(card) ? [] : reviewers.filter((name) => name !== screen.user && !occupied.has(name));
    const other = others.length === 0 ? undefined : screens.get(random.pick(others));
    const isRace = random.next() < 0.1;
    await Promise.all([
      cards.decide(screen, card, verdictOf(random)),
      ...(isRace && other ? [cards.decide(other, card, verdictOf(random))] : []),
      ...(random.next() < 0.03 ? [website(card)] : []),
    ]);
    if (random.next() < 0.08) await undo(screen);
  }

  /** Returns an open card of the shared account, and reserves it for a while. */
  function sharedCard(user: string, holds: (card: SeenCard) => boolean = () => true): SeenCard | undefined {
    const open = openCards(user).filter((card) => !isOwn(card) && holds(card));
    if (open.length === 0) return undefined;
    const card = random.pick(open);
    busy.set(card.ts, Date.now() + 8_000);
    return card;
  }

  /** The acts that people repeat until each was done often enough. Each resolves with false if this person cannot do it. */
  const acts: Record<DeskAct, (screen: Screen) => Promise<boolean>> = {
    async bulk(screen) {
      const isOfOwn = screen.user === ownKeyReviewer;
      await rateMany(screen, (text) => isOfOwn || !isOwn({ text }));
      return true;
    },
    async approve(screen) {
      if (await cards.approve(screen)) return true;
      const card = owners.includes(screen.user) ? undefined : sharedCard(screen.user);
      if (card) await cards.decide(screen, card, 'OK', bonusAboveLimit);
      return card !== undefined;
    },
    async assign(screen) {
      const card = sharedCard(screen.user);
      if (card) await desk.assign(screen, card);
      return card !== undefined;
    },
    async takeOver(screen) {
      const isOfOther = (card: SeenCard) => ![undefined, screen.user].includes(holderOf(card));
      const card = sharedCard(screen.user, isOfOther);
      if (card) await desk.takeOver(screen, card);
      else await acts.assign(screen);
      return true;
    },
    async reviewMine(screen) {
      return (await desk.reviewMine(screen)) || acts.assign(screen);
    },
    async withdraw(screen) {
      const member = screens.get(random.pick(colleagues.filter((user) => !owners.includes(user))));
      if (screen.user !== roleOwner || member === undefined) return false;
      guided.add(member.user);
      try {
        // Lets them finish their current act.
        await shows(() => !occupied.has(member.user));
        const card = sharedCard(member.user);
        if (card) await roles.withdrawWhileWaiting(screen, member, card);
        return card !== undefined;
      } finally {
        guided.delete(member.user);
      }
    },
  };

  /** Does an act that was not done often enough. Resolves with false if this person can do none. */
  async function doWhatIsLeft(screen: Screen): Promise<boolean> {
    for (const act of shuffled(left(), random)) if (await acts[act](screen)) return true;
    return false;
  }

  /** Does one act: on a card, in its thread, in focus review, on many tasks, or on a request. */
  async function doOne(screen: Screen): Promise<void> {
    const { user } = screen;
    const isOfOwn = user === ownKeyReviewer;
    if (await cards.approve(screen)) return;
    if ((isLast || random.next() < leftShare) && (await doWhatIsLeft(screen))) return;
    const drawn = random.next();
    const channel = isOfOwn ? ownChannel : sharedChannel;
    if (drawn < 0.2) return focusReview(screen, () => screen.command(channel, '/review'));
    if (drawn < 0.3) return rateMany(screen, (text) => isOfOwn || !isOwn({ text }));
    const open = openCards(user);
    if (open.length === 0) return;
    const card = random.pick(open);
    busy.set(card.ts, Date.now() + 4_000);
    if (drawn < 0.32) return cards.reply(screen, card);
    if (drawn < 0.36) return cards.take(screen, card);
    if (drawn < 0.39 && !isOwn(card)) return desk.assign(screen, card);
    return decideOnCard(screen, card);
  }

  async function work(user: string): Promise<void> {
    const screen = screens.get(user);
    if (screen === undefined) return;
    const pauseMs = isLast ? lastPauseMs : (spanMs / decisions) * reviewers.length;
    while (!isOver()) {
      const began = Date.now();
      if (!absent.has(user) && !guided.has(user)) {
        occupied.add(user);
        // Opening a view closes the previous one; acting on a closed view fails.
        await doOne(screen).catch(() => undefined);
        occupied.delete(user);
      }
      await wait(Math.max(30, pauseMs * (0.5 + random.next()) - (Date.now() - began)));
    }
  }

  /** Rates a task on the marketplace's website. */
  async function website(card: SeenCard): Promise<void> {
    await marketplace.rate(card.task, 'NOK', 'rated on the website').catch(() => undefined);
  }

  /** Corrects tasks as their workers, once the card says REVISE. */
  async function correct(): Promise<void> {
    const seenAt = new Map<string, number>();
    while (!isOver()) {
      for (const card of view.cards.values()) {
        if (card.decision?.verdict !== 'REVISE' || card.decision.state !== 'applied') continue;
        const at = seenAt.get(card.ts) ?? Date.now();
        seenAt.set(card.ts, at);
        if (card.superseded || Date.now() - at < 2_500 || random.next() > 0.1) continue;
        await marketplace.correct(card.task, [`corrected ${random.id()}`]).then(
          () => {
            log.corrected += 1;
          },
          // It was already corrected, or its rating has changed.
          () => undefined,
        );
      }
      await wait(500);
    }
  }

  /** Now and then pauses a campaign, which then accepts no ratings. */
  async function pause(): Promise<void> {
    while (!isOver()) {
      await wait(random.between(2_000, 6_000));
      const campaign = random.pick(campaigns);
      await marketplace.patchCampaign(campaign, { status: 'PAUSED_ADMIN' });
      await wait(random.between(1_000, 4_000));
      await marketplace.patchCampaign(campaign, { status: 'RUNNING' });
    }
  }

  await Promise.all([...reviewers.map(work), correct(), pause()]);
}

function verdictOf(random: Random): Verdict {
  const drawn = random.next();
  return drawn < 0.6 ? 'OK' : drawn < 0.8 ? 'NOK' : 'REVISE';
}
