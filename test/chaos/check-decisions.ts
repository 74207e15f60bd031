import type { AuditEntry } from '../../src/domain/audit.ts';
import { groupBy } from '../../src/domain/group.ts';
import { roundsOf } from './check-cards.ts';
import type { Evidence, MarketplaceTask } from './evidence.ts';
import { isUndone, type SeenDecision } from './log.ts';
import { toldAsLost } from './told-as-lost.ts';

const byApi = ({ history }: MarketplaceTask) => history.filter(({ by }) => by === 'api');

/** The entries that end a decision in the trail. */
const ends = ['applied', 'refused', 'overtaken', 'undone'];

/**
 * Returns the ids of decisions that somebody has read on a card and that are not accounted for: each must be applied once
 * as it was made, or the trail must say of that decision that it was undone (after somebody clicked Undo), refused (and a
 * card said so) or overtaken (and there is such a rating). As many may be missing as Home lists as lost with Redis. If a
 * channel could not be read, Home cannot count, and decisions whose card is no longer in any channel may be missing.
 */
export function decisionsLost(evidence: Evidence): string[] {
  const { log, marketplace, audit, homes, view } = evidence;
  const tasks = new Map(marketplace.tasks.map((task) => [task.task_id, task]));
  const lines = groupBy(
    audit.filter(({ decision }) => decision !== undefined),
    ({ decision }) => decision ?? '',
  );
  const missing = [...log.accepted.values()].flatMap((seen) => {
    const task = tasks.get(seen.task);
    const whats = (lines.get(seen.id) ?? []).map(({ what }) => what);
    const outcomes = whats.filter((what) => ends.includes(what));
    if (task !== undefined && isAppliedOnce(seen, task, outcomes)) return [];
    if (isUndone(log, seen.id) && outcomes.includes('undone')) return [];
    if (isLostInFocus(seen, lines.get(seen.id) ?? [], evidence)) return [];
    if (outcomes.includes('refused') && seen.state === 'refused') return [];
    if (outcomes.includes('overtaken') && task !== undefined && isRatedOtherwise(task, seen)) return [];
    return [{ ...seen, whats }];
  });
  const counted = missing.filter(({ task, round }) => !isGoneUncounted({ homes, view }, task, round));
  return counted.length <= toldAsLost(evidence)
    ? []
    : counted.map(
        ({ id, task, round, verdict, by, state, whats }) =>
          `${task} round ${round}: ${verdict} by ${by} (${id}), last read as ${state}; trail: ${whats.join(', ')}`,
      );
}

/** Returns whether only a card in a lost channel may have shown a decision: Home says that there may be such decisions. */
function isGoneUncounted(
  { homes, view }: Pick<Evidence, 'homes' | 'view'>,
  task: string,
  round: number | undefined,
): boolean {
  return homes.some(({ text }) => unreadableLine.test(text)) && view.goneWithChannel.has(`${task} ${round}`);
}

/**
 * Returns whether a decision was made or read only in focus review while Redis may have lost writes. Nothing else shows it,
 * so it cannot be recovered (docs/adr/0023-focus-review.md).
 * @param entries the decision's audit entries at any time
 */
function isLostInFocus(
  { onlyInFocusAt }: SeenDecision,
  entries: readonly AuditEntry[],
  { losses }: Pick<Evidence, 'losses'>,
): boolean {
  if (onlyInFocusAt === undefined) return false;
  // It may be shown just after a loss that affected the write just before.
  const madeAt = entries.filter(({ what }) => what === 'decided').map(({ at }) => at);
  return losses.some(({ from, to }) => [onlyInFocusAt, ...madeAt].some((at) => at >= from && at <= to));
}

/** Home's text when decisions may be lost because their cards could not be read. */
const unreadableLine = /Decisions that only its cards showed may be lost/;

function isAppliedOnce(
  { round, verdict, comment, comments = [comment] }: SeenDecision,
  task: MarketplaceTask,
  outcomes: readonly string[],
): boolean {
  const applied = eventsOf(task, round).filter(
    (event) => event.by === 'api' && event.task_rating === verdict && comments.includes(event.comment),
  );
  return applied.length === 1 && outcomes.every((what) => what === 'applied' || what === 'refused');
}

function isRatedOtherwise(task: MarketplaceTask, { round }: SeenDecision): boolean {
  return eventsOf(task, round).length > 0 || roundsOf(task) > round;
}

/** Returns the ratings of one round of a task. */
function eventsOf({ history }: MarketplaceTask, round: number) {
  let rounds = 0;
  return history.filter(({ by }) => {
    if (by === 'worker') rounds += 1;
    return by !== 'worker' && by !== 'marketplace' && rounds === round;
  });
}

/**
 * Returns where the audit trail differs from the marketplace's record, or a decision in it does not end exactly once.
 * Duplicate lines count once, because writes lost by a restored Redis are recorded again. These decisions need not end: one
 * that Redis lost before anybody could read it on a card, because nobody was told that it was accepted; as many as people
 * are told were lost; and those whose card was lost with its channel, if Home says that there may be such. A decision whose
 * undo Redis lost is recovered from its card and sent.
 */
export function auditWrong({
  audit,
  auditNow,
  losses,
  marketplace,
  recorded,
  log,
  homes,
  view,
}: Pick<
  Evidence,
  'audit' | 'auditNow' | 'losses' | 'marketplace' | 'recorded' | 'log' | 'homes' | 'view'
>): string[] {
  const found: string[] = [];
  let leftAsLost = toldAsLost({ homes, view });
  const there = new Set(auditNow.map(entryId));
  const isLost = (entry: AuditEntry) =>
    !there.has(entryId(entry)) && losses.some(({ from, to }) => entry.at >= from && entry.at <= to);
  const lines = groupBy(audit, ({ task }) => String(task));
  for (const task of marketplace.tasks) {
    const id = task.task_id;
    const own = lines.get(id) ?? [];
    const rated = (round: number, verdict: string, comment: string) =>
      `round ${round}: ${verdict} ${comment}`;
    const ours = own
      .filter(({ what }) => what === 'applied')
      .map(({ round = 0, verdict = '', comment = '' }) => rated(round, verdict, comment));
    const theirs = byApi(task).map(({ at, task_rating, comment }) =>
      rated(roundAt(task, at), task_rating, comment),
    );
    // The rater was lost with Redis and the card's channel.
    const unknown = own.filter(({ what, isRaterUnknown }) => what === 'rating found' || isRaterUnknown);
    const ofNobody = byApi(task)
      .filter(({ at, task_rating }) =>
        unknown.some(({ round, rating }) => round === roundAt(task, at) && rating === task_rating),
      )
      .map(({ at, task_rating, comment }) => rated(roundAt(task, at), task_rating, comment));
    found.push(
      ...difference(theirs, [...ours, ...ofNobody]).map((line) => `${id} ${line} is not in the trail`),
      ...difference(ours, theirs).map((line) => `${id} ${line} is only in the trail`),
    );
    const elsewhere = own
      .filter(
        ({ what, isRaterUnknown }) => (what === 'overtaken' && !isRaterUnknown) || what === 'rated elsewhere',
      )
      .map(({ round }) => `round ${round}`);
    const website = task.history
      .filter(({ by }) => by === 'website')
      .map(({ at }) => `round ${roundAt(task, at)}`);
    found.push(
      ...difference(website, [...elsewhere, ...unknown.map(({ round }) => `round ${round}`)]).map(
        (round) => `${id} ${round}: the trail has no rating elsewhere`,
      ),
      ...difference(elsewhere, website).map((round) => `${id} ${round}: the trail has a rating elsewhere`),
    );
    for (const [decision, its] of groupBy(own, ({ decision = '' }) => decision)) {
      if (decision === '' || !(recorded.has(decision) || log.accepted.has(decision))) continue;
      const seen = log.accepted.get(decision);
      if (seen && !recorded.has(decision) && isLostInFocus(seen, its, { losses })) continue;
      const isRecovered = its.some(({ what }) => what === 'recovered');
      // No card shows an undo in focus review.
      const mayReturn = isRecovered || decision.startsWith('focus-') || decision.startsWith('bulk-');
      const kept = its.filter((entry) => !(mayReturn && entry.what === 'undone' && isLost(entry)));
      // If it was lost together with its undo, it has ended correctly.
      const hasEnded = isRecovered || kept.some(({ what }) => ends.includes(what));
      const ended = hasEnded ? kept : its;
      const outcomes = [...new Set(ended.map(({ what }) => what).filter((what) => ends.includes(what)))];
      if (outcomes.length === 0 && its.every(isLost)) {
        if (its.some(({ round }) => isGoneUncounted({ homes, view }, id, round))) continue;
        if (leftAsLost-- > 0) continue;
      }
      // A late answer can say that it was applied after all.
      const isOneEnd = outcomes.length === 1 || outcomes.toSorted().join(' ') === 'applied refused';
      if (!isOneEnd)
        found.push(`${id}: decision ${decision} has ended: ${outcomes.join(', ') || 'not at all'}`);
    }
  }
  return found;
}

/** Returns a unique id of an entry. */
function entryId({ at, what, decision, task }: AuditEntry): string {
  return [at, what, decision, task].join(' ');
}

/** Returns the number of a task's round at a given time. */
export function roundAt({ history }: MarketplaceTask, at: string): number {
  return history.filter(({ by, at: moved }) => by === 'worker' && moved <= at).length;
}

/** Returns the items of the first list that are not in the second. */
function difference(first: readonly string[], second: readonly string[]): string[] {
  return [...new Set(first)].filter((item) => !second.includes(item));
}
