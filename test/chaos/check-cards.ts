import { groupBy } from '../../src/domain/group.ts';
import { isShared } from '../../src/domain/queue-share.ts';
import { asId } from '../harness/ids.ts';
import type { SeenCard } from './channel-view.ts';
import type { Evidence, MarketplaceTask } from './evidence.ts';
import { toldAsLost } from './told-as-lost.ts';

type Event = MarketplaceTask['history'][number];

/** Returns a task's number of rounds: how often a worker has submitted or corrected it. */
export const roundsOf = ({ history }: MarketplaceTask): number =>
  history.filter(({ by }) => by === 'worker').length;

/** Returns the rating of a round, or undefined if it has none. */
export function ratingOf({ history }: MarketplaceTask, round: number): Event | undefined {
  let rounds = 0;
  let found: Event | undefined;
  for (const event of history) {
    if (event.by === 'worker') rounds += 1;
    else if (rounds === round && event.by !== 'marketplace') found = event;
  }
  return found;
}

const nameOf = ({ task, round }: Pick<SeenCard, 'task' | 'round'>) => `${task} round ${round}`;

export function cardsOf({ view }: Pick<Evidence, 'view'>): SeenCard[] {
  return [...view.cards.values()];
}

/** Matches the ids of decisions from focus review and bulk ratings, which neither need nor post a card. */
const withoutCard = /^(?:focus|bulk)-/;

/**
 * Returns the rounds of tasks that were rated on a card, or on the website by somebody who saw it, but have no card. A rated
 * one may have lost its card with the card's channel.
 */
export function cardsMissing(evidence: Evidence): string[] {
  const names = new Set(cardsOf(evidence).map(nameOf));
  const needsNone = new Set(
    evidence.audit.flatMap(({ decision = '', task, round }) =>
      withoutCard.test(decision) ? [`${task} round ${round}`] : [],
    ),
  );
  for (const { onlyInFocusAt, ...seen } of evidence.log.accepted.values())
    if (onlyInFocusAt !== undefined) needsNone.add(nameOf(seen));
  return evidence.marketplace.tasks.flatMap((task) =>
    Array.from({ length: roundsOf(task) }, (_, index) => index + 1).flatMap((round) => {
      const name = nameOf({ task: task.task_id, round });
      const mayBeGone = evidence.view.goneWithChannel.has(`${task.task_id} ${round}`);
      const isFine = names.has(name) || mayBeGone || needsNone.has(name);
      return isFine || ratingOf(task, round) === undefined ? [] : [name];
    }),
  );
}

/** Returns the tasks that wait without a card, by campaign. */
function waitingWithoutCard(evidence: Evidence): Map<string, MarketplaceTask[]> {
  const names = new Set(cardsOf(evidence).map(nameOf));
  const waiting = evidence.marketplace.tasks.filter((task) => {
    const round = roundsOf(task);
    return ratingOf(task, round) === undefined && !names.has(nameOf({ task: task.task_id, round }));
  });
  return groupBy(waiting, ({ campaign_id: campaign }) => campaign);
}

/**
 * Returns violations of this rule: every waiting task either has one card or is counted in one summary, never both. A
 * campaign's summary counts exactly the tasks without a card.
 */
export function countsWrong(evidence: Evidence): string[] {
  const waiting = waitingWithoutCard(evidence);
  const counts = [...evidence.view.summaries.values()].filter(({ count }) => count > 0);
  const counting = groupBy(
    counts.filter(({ campaign }) => !isShared(asId(campaign))),
    ({ campaign }) => campaign,
  );
  // The shared count covers all campaigns without their own message.
  const together = counts.filter(({ campaign }) => isShared(asId(campaign)));
  const countedTogether = together.reduce((sum, { count }) => sum + count, 0);
  const others = [...waiting].filter(([campaign]) => !counting.has(campaign));
  const waitingTogether = others.reduce((sum, [, tasks]) => sum + tasks.length, 0);
  const isShort = together.length > 0 && countedTogether !== waitingTogether;
  const inTogether = new Set(together.length > 0 ? others.map(([campaign]) => campaign) : []);
  const wrong = isShort
    ? [
        `${waitingTogether} tasks of other campaigns wait without a card, and are counted as ${countedTogether}`,
      ]
    : [];
  return [...new Set([...waiting.keys(), ...counting.keys()])].flatMap((campaign) => {
    if (inTogether.has(campaign)) return wrong.splice(0);
    const without = waiting.get(campaign)?.length ?? 0;
    const counted = (counting.get(campaign) ?? []).map(({ count }) => count);
    return counted.length === (without === 0 ? 0 : 1) && (counted[0] ?? 0) === without
      ? []
      : [
          `${campaign}: ${without} tasks wait without a card, and summaries count ${counted.join(', ') || 'none'}`,
        ];
  });
}

/**
 * Returns the channels whose window has room although tasks wait for a card there, or that have too many open cards. Tasks
 * that come back (corrected, undone, decision lost) already have their card and do not wait for room.
 */
export function windowsWrong(evidence: Evidence, limit: number, unlimited: ReadonlySet<string>): string[] {
  const cards = cardsOf(evidence).filter(({ buttons }) => buttons['task.ok'] !== undefined);
  const decided = new Set([...evidence.log.accepted.values()].map(({ task }) => task));
  const byChannel = groupBy(cards, ({ channel }) => channel);
  const starved = [...evidence.view.summaries.values()].flatMap(({ channel, count, campaign }) => {
    const open = byChannel.get(channel)?.length ?? 0;
    return count > 0 && open < limit
      ? [`${channel} has only ${open} open cards while ${count} tasks of ${campaign} wait`]
      : [];
  });
  const overfilled = [...byChannel].flatMap(([channel, open]) => {
    const first = open.filter(({ task, round }) => round === 1 && !decided.has(task)).length;
    return unlimited.has(channel) || first <= limit ? [] : [`${channel} has ${first} open cards`];
  });
  return [...starved, ...overfilled];
}

/** Returns the rounds of tasks that have more than one card, in any channels. */
export function cardsTwice(evidence: Evidence): string[] {
  return [...groupBy(cardsOf(evidence), nameOf)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => `${name}: ${all.map(({ channel, ts }) => `${channel} ${ts}`).join(', ')}`);
}

/** Returns statements on cards that contradict the marketplace's record or the audit trail. */
export function cardsWrong(evidence: Evidence): string[] {
  const tasks = new Map(evidence.marketplace.tasks.map((task) => [task.task_id, task]));
  const audit = groupBy(evidence.audit, ({ task }) => String(task));
  const readOnCard = groupBy(
    [...evidence.log.accepted.values()].filter(({ onlyInFocusAt }) => onlyInFocusAt === undefined),
    nameOf,
  );
  // After it was sent, a decision may be lost with Redis if no card showed it, or only one in a deleted or unreadable
  // channel. So may one that a card showed, if somebody decided again before the card was found; people are told how many
  // those are.
  let leftAsLost = toldAsLost(evidence);
  const mayBeUnknown = ({ task, round, raterUnknown, decision }: SeenCard) => {
    // A decision shown as overtaken is not the one that was rated.
    const others = (readOnCard.get(nameOf({ task, round })) ?? []).filter(({ id }) => id !== decision?.id);
    if (others.length === 0 || evidence.view.unreadable.has(`${task} ${round}`)) return true;
    return raterUnknown !== undefined && leftAsLost-- > 0;
  };
  return cardsOf(evidence).flatMap((card) => {
    const task = tasks.get(card.task);
    if (task === undefined) return [`${nameOf(card)}: there is no such task`];
    const lines = audit.get(card.task) ?? [];
    return [...wrongState(card, task, mayBeUnknown(card)), ...wrongClaims(card, task, lines)].map(
      (problem) => `${nameOf(card)} (${card.channel} ${card.ts}): ${problem}`,
    );
  });
}

/**
 * Compares what a card says of its task with the marketplace's record.
 * @param mayBeUnknown Redis may have lost a decision that no card shows
 */
function wrongState(card: SeenCard, task: MarketplaceTask, mayBeUnknown: boolean): string[] {
  const isOpen = card.buttons['task.ok'] !== undefined;
  const last = roundsOf(task);
  if (card.round > last) return [`there are only ${last} rounds`];
  if (card.round < last) {
    return card.superseded && !isOpen ? [] : ['still shown as current although the task was corrected'];
  }
  if (card.superseded) return ['refers to a newer card although there is no later round'];
  const rating = ratingOf(task, card.round);
  if (rating === undefined) {
    if (!isOpen) return [`cannot be decided although it is open: ${oneLine(card.text)}`];
    return card.elsewhere === undefined && (card.decision === undefined || card.decision.state === 'refused')
      ? []
      : [`says that it is rated although it is open: ${oneLine(card.text)}`];
  }
  const { by, task_rating: verdict, comment } = rating;
  // The card is right: it shows the rating without a name.
  if (card.raterUnknown === verdict && (by === 'website' || mayBeUnknown)) return [];
  if (isOpen) return [`can be decided although it is rated ${verdict} by ${by}`];
  if (by === 'website') {
    return card.elsewhere === verdict && (card.decision === undefined || card.decision.state === 'overtaken')
      ? []
      : [`does not say that it was rated ${verdict} outside of Slack: ${oneLine(card.text)}`];
  }
  const { decision } = card;
  return decision?.state === 'applied' && decision.verdict === verdict && decision.comment === comment
    ? []
    : [`does not say that ${verdict} “${comment}” was applied: ${oneLine(card.text)}`];
}

/** Compares the acts of people that a card shows with the audit trail. */
function wrongClaims(card: SeenCard, task: MarketplaceTask, lines: Evidence['audit']): string[] {
  const { decision, asked } = card;
  const found: string[] = [];
  if (decision !== undefined) {
    const what = decision.state === 'pending' ? 'decided' : decision.state;
    const isRecorded = lines.some(
      (line) =>
        line.round === card.round &&
        // An approved decision is the approver's act.
        (line.by === decision.by || line.member === decision.by) &&
        line.verdict === decision.verdict &&
        line.what === what &&
        (decision.id === undefined || line.decision === undefined || line.decision === decision.id),
    );
    if (!isRecorded)
      found.push(`claims ${decision.verdict} by ${decision.by} (${what}), which is not in the trail`);
  }
  if (asked !== undefined) {
    const isRecorded = lines.some(
      ({ round, what, by, verdict }) =>
        round === card.round - 1 && what === 'applied' && by === asked.by && verdict === 'REVISE',
    );
    const words = ratingOf(task, card.round - 1)?.comment;
    if (!isRecorded) found.push(`claims a revision by ${asked.by}, which is not in the trail`);
    if (words !== asked.comment)
      found.push(`quotes “${asked.comment}”, but the revision was “${words ?? ''}”`);
  }
  return found;
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' / ').slice(0, 300);
}
