import { groupBy } from '../../src/domain/group.ts';
import type { SeenCard } from './channel-view.ts';
import type { Evidence, MarketplaceTask } from './evidence.ts';

type Event = MarketplaceTask['history'][number];

/** Returns the times that a worker has submitted or corrected a task: as many as it has rounds. */
export const roundsOf = ({ history }: MarketplaceTask): number =>
  history.filter(({ by }) => by === 'worker').length;

/** Returns how a round was rated, or undefined when it was not. */
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

/**
 * Returns the rounds of tasks for which there is no card. One that was rated may have lost its card together with the
 * channel in which it stood.
 */
export function cardsMissing(evidence: Evidence): string[] {
  const names = new Set(cardsOf(evidence).map(nameOf));
  return evidence.marketplace.tasks.flatMap((task) =>
    Array.from({ length: roundsOf(task) }, (_, index) => index + 1).flatMap((round) => {
      const name = nameOf({ task: task.task_id, round });
      const mayBeGone =
        ratingOf(task, round) !== undefined && evidence.view.goneWithChannel.has(`${task.task_id} ${round}`);
      return names.has(name) || mayBeGone ? [] : [name];
    }),
  );
}

/** Returns the rounds of tasks that have more than one card, in whatever channels. */
export function cardsTwice(evidence: Evidence): string[] {
  return [...groupBy(cardsOf(evidence), nameOf)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => `${name}: ${all.map(({ channel, ts }) => `${channel} ${ts}`).join(', ')}`);
}

/** Returns what people read on cards that is not so, by the marketplace's record and the audit trail. */
export function cardsWrong(evidence: Evidence): string[] {
  const tasks = new Map(evidence.marketplace.tasks.map((task) => [task.task_id, task]));
  const audit = groupBy(evidence.audit, ({ task }) => String(task));
  const readOnCard = new Set(
    [...evidence.log.accepted.values()].map(({ task, round }) => `${task} ${round}`),
  );
  // A decision that no card showed, or only one that went with its channel, may be lost with Redis after it was sent.
  const mayBeUnknown = ({ task, round }: SeenCard) =>
    !readOnCard.has(`${task} ${round}`) || evidence.view.goneWithChannel.has(`${task} ${round}`);
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
  // What it says is true: the rating, and nobody's name.
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

/** Compares what a card says that a person did with the audit trail. */
function wrongClaims(card: SeenCard, task: MarketplaceTask, lines: Evidence['audit']): string[] {
  const { decision, asked } = card;
  const found: string[] = [];
  if (decision !== undefined) {
    const what = decision.state === 'pending' ? 'decided' : decision.state;
    const isRecorded = lines.some(
      (line) =>
        line.round === card.round &&
        line.what === what &&
        line.by === decision.by &&
        line.verdict === decision.verdict &&
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
