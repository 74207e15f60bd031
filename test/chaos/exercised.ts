import type { AuditEntry } from '../../src/domain/audit.ts';
import { groupBy } from '../../src/domain/group.ts';
import type { ChannelView } from './channel-view.ts';
import type { Evidence } from './evidence.ts';
import type { ReviewLog } from './log.ts';

/** How often each act must be accepted for a run to prove something about it; people continue until then. */
const leastTimes = {
  bulk: 2,
  approve: 2,
  assign: 3,
  takeOver: 2,
  reviewMine: 2,
  withdraw: 1,
} as const;

export type DeskAct = keyof typeof leastTimes;
const deskActs = Object.keys(leastTimes) as DeskAct[];

/** Returns the acts that people have not yet read as done often enough. */
export function leftToDo(log: ReviewLog, { notices }: Pick<ChannelView, 'notices'>): DeskAct[] {
  const told = [...notices.values()].filter(({ text }) =>
    /^You asked to [\s\S]*:white_check_mark: /.test(text),
  );
  const times: Record<DeskAct, number> = {
    bulk: log.bulk.size - log.undoneBulk.size,
    approve: told.length,
    assign: log.assigned,
    takeOver: log.takenOver,
    reviewMine: log.mine.size,
    withdraw: log.withdrawn,
  };
  return deskActs.filter((act) => times[act] < leastTimes[act]);
}

/** An act, and its number of entries in the audit. */
export interface Exercised {
  readonly what: string;
  readonly times: number;
  readonly least: number;
}

const ends = new Set<string>(['applied', 'refused', 'overtaken', 'undone']);

/** Returns how often each act was accepted, according to the audit. */
export function exercised({ audit, log }: Pick<Evidence, 'audit' | 'log'>): Exercised[] {
  const count = (holds: (entry: AuditEntry) => boolean) => audit.filter(holds).length;
  const ended = new Set(audit.flatMap(({ what, decision }) => (ends.has(what) ? (decision ?? []) : [])));
  const inBulk = [...ended].filter((decision) => decision.startsWith('bulk-'));
  const times: Record<DeskAct, [what: string, times: number]> = {
    bulk: ['bulk ratings with decisions that ended', new Set(inBulk.map(bulkRatingOf)).size],
    approve: [
      'bonuses decided by approval',
      count(({ what, how, money }) => what === 'decided' && how === 'approval' && money !== undefined),
    ],
    assign: ['tasks assigned to somebody else', count(({ what }) => what === 'assign')],
    takeOver: ['tasks taken over from somebody', takenOver(audit)],
    reviewMine: [
      'decisions in reviews begun from a reminder of one’s tasks',
      [...log.mine].filter((decision) => ended.has(decision)).length,
    ],
    withdraw: ['roles withdrawn while a decision of theirs waited', withdrawnWhileWaiting(audit)],
  };
  return deskActs.map((act) => {
    const [what, found] = times[act];
    return { what, times: found, least: leastTimes[act] };
  });
}

/** Returns the acts about which a run proves nothing, because they were never accepted. */
export function notWorthwhile(evidence: Pick<Evidence, 'audit' | 'log'>): string[] {
  return exercised(evidence)
    .filter(({ times }) => times === 0)
    .map(({ what, least }) => `not worthwhile: no ${what} (should be at least ${least})`);
}

/** Returns a line with the acts that a run has exercised. */
export function exercisedLine(evidence: Pick<Evidence, 'audit' | 'log'>): string {
  return exercised(evidence)
    .map(({ what, times, least }) => `${what} ${times} (least ${least})`)
    .join(' · ');
}

/** Returns the bulk rating of one of its decisions: `bulk-RATING-RUN-INDEX`. */
function bulkRatingOf(decision: string): string {
  return decision.replace(/-\d+-\d+$/, '');
}

/** Returns how many tasks were taken over from somebody else. */
function takenOver(audit: readonly AuditEntry[]): number {
  const changes = audit.filter(({ what }) => what === 'take' || what === 'assign' || what === 'release');
  let times = 0;
  for (const own of groupBy(changes, ({ task }) => String(task)).values()) {
    let holder: string | undefined;
    for (const { what, by, member, group } of own.toSorted((a, b) => a.at - b.at)) {
      if (what === 'take' && holder !== undefined && holder !== by) times += 1;
      holder = what === 'take' ? by : what === 'assign' ? (member ?? group) : undefined;
    }
  }
  return times;
}

/** Returns how many roles were withdrawn between a member's decision and its end. */
function withdrawnWhileWaiting(audit: readonly AuditEntry[]): number {
  const decisions = groupBy(
    audit.filter(({ decision }) => decision !== undefined),
    ({ decision }) => String(decision),
  );
  const waited = [...decisions.values()].map((own) => ({
    by: own.find(({ what }) => what === 'decided')?.by,
    from: Math.min(...own.filter(({ what }) => what === 'decided').map(({ at }) => at)),
    to: Math.max(...own.filter(({ what }) => ends.has(what)).map(({ at }) => at)),
  }));
  return audit.filter(
    ({ what, member, at }) =>
      what === 'withdraw role' && waited.some(({ by, from, to }) => by === member && from <= at && at <= to),
  ).length;
}
