import type { AuditEntry } from '../../src/domain/audit.ts';
import { groupBy } from '../../src/domain/group.ts';
import { roundsOf } from './check-cards.ts';
import { roundAt } from './check-decisions.ts';
import type { Evidence, MarketplaceTask } from './evidence.ts';
import { type HeldDecision, isUndone, type ReviewLog } from './log.ts';
import { toldAsLost } from './told-as-lost.ts';

/** The entries that end anybody's decision, and with it the wait for a second look. */
const ends = ['applied', 'refused', 'overtaken', 'undone', 'rated elsewhere', 'rating found'];

/** The audit lines about one round of a task, in order. */
type Lines = readonly AuditEntry[];

/**
 * Returns the ids of decisions that waited for a second look and are not accounted for. Each must have been sent after
 * somebody agreed, nobody looked in time, or a third decided between two; or undone by somebody's click; or overtaken by a
 * rating elsewhere or a correction; or its maker lost their role, and another decision stands. As many may be lost with
 * Redis as people are told of. Also returns where the sent rating differs from the decision.
 */
export function looksLost(evidence: Evidence): string[] {
  const { audit, auditNow, log, marketplace } = evidence;
  const tasks = new Map(marketplace.tasks.map((task) => [task.task_id, task]));
  const rounds = groupBy(audit, nameOf);
  const withdrawn = new Set(
    audit.flatMap(({ what, member }) => (what === 'withdraw role' ? (member ?? []) : [])),
  );
  const missing = [...log.held.values()].filter((held) => {
    const task = tasks.get(held.task);
    const lines = rounds.get(nameOf(held)) ?? [];
    if (task === undefined || roundsOf(task) > held.round) return task === undefined;
    const isEnded = held.isSecond
      ? lines.some(({ what }) => ends.includes(what))
      : isAccounted(held, task, lines, { withdrawn, log });
    return !isEnded;
  });
  const unread = [...groupBy(auditNow, nameOf)].flatMap(([name, lines]) => {
    const held = lines.findLastIndex(({ what }) => what === 'hold for second look');
    const task = tasks.get(lines[held]?.task ?? '');
    const isOver = task === undefined || roundsOf(task) > (lines[held]?.round ?? 0);
    if (held < 0 || isOver || lines.slice(held).some(({ what }) => ends.includes(what))) return [];
    return [`${name}: what waited for a second look has not ended`];
  });
  return [
    ...(missing.length <= toldAsLost(evidence)
      ? []
      : missing.map((held) => {
          const whats = (rounds.get(nameOf(held)) ?? []).map(({ what }) => what).join(', ');
          return `${nameOf(held)}: that of ${held.by} (${held.id}) waited for a second look; trail: ${whats}`;
        })),
    ...unread,
    ...[...rounds].flatMap(([name, lines]) => wrongVerdicts(lines).map((what) => `${name}: ${what}`)),
  ];
}

/** Returns whether the first of two decisions has become a rating, or has ended otherwise according to the trail. */
function isAccounted(
  { id, by, round }: HeldDecision,
  task: MarketplaceTask,
  lines: Lines,
  { withdrawn, log }: { readonly withdrawn: ReadonlySet<string>; readonly log: ReviewLog },
): boolean {
  const ratings = task.history.filter((event) => event.by === 'api' && roundAt(task, event.at) === round);
  return lines.some(({ what, decision, member, verdict, by: actor }) => {
    switch (what) {
      case 'applied':
        // It stands alone if the first person may no longer rate.
        return decision === id ? ratings.length === 1 : withdrawn.has(by) && actor !== by;
      case 'refused':
      case 'overtaken':
        return decision === id;
      case 'decide between two':
        return member === by && ratings.length === 1 && ratings[0]?.task_rating === verdict;
      case 'undone':
        // The trail does not identify a decision while it waits.
        return isUndone(log, id) && (decision === id || member === by);
      default:
        return what === 'rated elsewhere' || what === 'rating found';
    }
  });
}

/** Returns where the sent rating differs from the first decision although somebody agreed or nobody looked. */
function wrongVerdicts(lines: Lines): string[] {
  return lines.flatMap(({ what, verdict, decision, comment, money, before, after }) => {
    if (what === 'second look')
      return (before?.startsWith(`${verdict} by `) ?? false) === (after === 'agrees')
        ? []
        : [`${verdict} ${after}, but the first was ${before}`];
    const applied = lines.find((line) => line.what === 'applied' && line.decision === decision);
    if (what !== 'let go' || applied === undefined) return [];
    const isSame = applied.verdict === verdict && applied.comment === comment && applied.money === money;
    return isSame
      ? []
      : [`let go as ${verdict} “${comment}”, but sent as ${applied.verdict} “${applied.comment}”`];
  });
}

/** Returns decisions between two people who were not both told, except for rounds that have ended in the meantime. */
export function looksUntold({ auditNow, marketplace, view }: Evidence): string[] {
  const told = new Set(view.unique.values());
  const tasks = new Map(marketplace.tasks.map((task) => [task.task_id, task]));
  return [...groupBy(auditNow, nameOf)].flatMap(([name, lines]) => {
    const third = lines.findLast(({ what }) => what === 'decide between two');
    const task = tasks.get(third?.task ?? '');
    const isSent = lines.some(({ what }) => what === 'applied');
    if (!third || !task || !isSent || roundsOf(task) > (third.round ?? 0)) return [];
    // It may have been undone, and later somebody else, or nobody, decided.
    if (lines.slice(lines.indexOf(third)).some(({ what }) => what === 'undo second look')) return [];
    const [second] = /[^,]* by (\w+)[^,]*$/.exec(third.before ?? '')?.slice(1) ?? [];
    return [third.member, second].flatMap((member) => {
      const channel = `D${member?.slice(1)}`;
      return told.has(`${third.decision} on ${third.task}, told in ${channel}`)
        ? []
        : [`${name}: ${member} was not told that ${third.by} decided ${third.verdict} (${third.decision})`];
    });
  });
}

function nameOf({ task, round }: { readonly task?: string; readonly round?: number }): string {
  return `${task} round ${round}`;
}
