import type { AuditEntry } from '../../src/domain/audit.ts';
import { groupBy } from '../../src/domain/group.ts';
import { money, wireMoney } from '../../src/domain/money.ts';
import { roundAt } from './check-decisions.ts';
import type { Evidence, Loss, MarketplaceTask } from './evidence.ts';
import { bonusLimit, owners } from './money.ts';

/** Returns a rating as text in which both sides are comparable, including the exact bonus. */
function ratingText(round: number, verdict: string, comment: string, bonus: string | undefined): string {
  return `round ${round}: ${verdict} ${comment} bonus ${bonus ? wireMoney(money(bonus)) : 'none'}`;
}

/**
 * Returns where the current audit and the marketplace's own record of ratings differ, entry by entry. A missing rating is
 * excused only if it, or its entry, is from a time in which Redis may have lost writes, and a recovery in the audit says
 * that it did.
 */
export function auditUnequal({
  audit,
  auditNow,
  losses,
  marketplace,
}: Pick<Evidence, 'audit' | 'auditNow' | 'losses' | 'marketplace'>): string[] {
  const recoveries = auditNow.filter(({ what }) => what === 'recover data').map(({ at }) => at);
  // Writes after the recovery are not lost.
  const lost = losses.flatMap(({ from, to }) => {
    const recovery = recoveries.filter((at) => at >= from).sort((a, b) => a - b)[0];
    return recovery === undefined ? [] : [{ from, to: Math.min(to, recovery) }];
  });
  const applied = appliedByTask(auditNow);
  // For these, only the rater was lost, not the rating.
  const ofNobody = groupBy(
    auditNow.filter(({ what, isRaterUnknown }) => what === 'rating found' || isRaterUnknown),
    ({ task }) => String(task),
  );
  const before = appliedByTask(audit);
  const known = new Set(marketplace.tasks.map(({ task_id }) => task_id));
  return [
    ...marketplace.tasks.flatMap((task) => {
      const { task_id: id } = task;
      return unequal(task, applied.get(id) ?? [], {
        lost,
        before: before.get(id) ?? [],
        ofNobody: ofNobody.get(id) ?? [],
      });
    }),
    ...[...applied.keys()].filter((id) => !known.has(id)).map((id) => `${id} is only in the audit`),
  ];
}

/** How long an allowed act may take to be stored (ms): losing the right in that time does not stop it. */
const underWayMs = 3_000;

/**
 * Returns bonuses that somebody gave without a necessary approval: above a manager's limit, or while their role was
 * withdrawn, unless Redis may have lost the withdrawal. Owners have no limit.
 */
export function spentUnapproved({ audit, losses }: Pick<Evidence, 'audit' | 'losses'>): string[] {
  const changes = audit.filter(({ what }) => what === 'give role' || what === 'withdraw role');
  /** Returns whether somebody has been without a role for a while at that time. */
  const hasNoRole = (member: string, at: number) => {
    const last = changes
      .filter((change) => change.member === member && change.at <= at)
      .toSorted((a, b) => a.at - b.at)
      .at(-1);
    if (last?.what !== 'withdraw role' || at - last.at < underWayMs) return false;
    return !losses.some(({ from, to }) => from <= at && to >= last.at);
  };
  return audit.flatMap(({ at, what, how, by, money: bonus, task }) => {
    if (what !== 'decided' || bonus === undefined || how === 'approval' || owners.includes(String(by)))
      return [];
    const isAbove = money(bonus).gt(money(bonusLimit));
    if (!isAbove && !hasNoRole(String(by), at)) return [];
    return [`${task}: ${by} has decided with a bonus of ${bonus}${isAbove ? '' : ' without a role'}`];
  });
}

function appliedByTask(entries: readonly AuditEntry[]): Map<string, AuditEntry[]> {
  return groupBy(
    entries.filter(({ what }) => what === 'applied'),
    ({ task }) => String(task),
  );
}

function entryText({ round, verdict, comment, money: bonus }: AuditEntry): string {
  return ratingText(round ?? 0, verdict ?? '', comment ?? '', bonus);
}

/** @param before.before the entries that existed at any time */
function unequal(
  task: MarketplaceTask,
  entries: readonly AuditEntry[],
  {
    lost,
    before,
    ofNobody,
  }: {
    readonly lost: readonly Loss[];
    readonly before: readonly AuditEntry[];
    readonly ofNobody: readonly AuditEntry[];
  },
): string[] {
  const { task_id: id, history } = task;
  const ours = entries.map(entryText);
  const isLost = (at: number) => lost.some(({ from, to }) => at >= from && at <= to);
  const found: string[] = [];
  for (const { by, at, task_rating, comment, bonus } of history) {
    if (by !== 'api') continue;
    const theirs = ratingText(roundAt(task, at), task_rating, comment, bonus);
    const index = ours.indexOf(theirs);
    if (index >= 0) ours.splice(index, 1);
    else if (
      !isLost(Date.parse(at)) &&
      !ofNobody.some(({ round, rating }) => round === roundAt(task, at) && rating === task_rating) &&
      !before.some((entry) => entryText(entry) === theirs && isLost(entry.at))
    )
      found.push(`${id} ${theirs} is not in the audit`);
  }
  return [...found, ...ours.map((left) => `${id} ${left} is once more in the audit than at the marketplace`)];
}
