import type { AuditEntry } from '../../domain/audit.ts';
import { type CampaignId, type MemberId, type Rating, ratings, type Verdict } from '../../domain/terms.ts';
import type { ResultRow } from '../../marketplace/index.ts';

/** Task counts of one group (a country, a day): total, OK and NOK. */
export interface Group {
  readonly name: string;
  readonly tasks: number;
  readonly ok: number;
  readonly nok: number;
}

/** Statistics of a campaign's results. */
export interface Figures {
  readonly tasks: number;
  readonly byRating: Readonly<Record<Rating, number>>;
  /** By country code, most tasks first. */
  readonly countries: readonly Group[];
  /** By submission day (`2026-01-31`, UTC), in chronological order. */
  readonly days: readonly Group[];
  readonly workers: number;
  /** Rows that could not be read. */
  readonly skipped: number;
}

/** Creates a counter for a campaign's results, row by row. */
export function createFigures() {
  let tasks = 0;
  const byRating = Object.fromEntries(ratings.map((rating) => [rating, 0])) as Record<Rating, number>;
  const countries = new Map<string, Group>();
  const days = new Map<string, Group>();
  const workers = new Set<string>();
  return {
    add({ rating, countryCode, finishedAt, workerId }: ResultRow): void {
      tasks += 1;
      byRating[rating] += 1;
      workers.add(workerId);
      count(countries, countryCode.toUpperCase(), rating);
      if (finishedAt !== undefined) count(days, finishedAt.toISOString().slice(0, 10), rating);
    },

    /** Returns the statistics of all rows so far. @param skipped rows that could not be read */
    figures: (skipped: number): Figures => ({
      tasks,
      byRating,
      countries: [...countries.values()].sort((a, b) => b.tasks - a.tasks || a.name.localeCompare(b.name)),
      days: [...days.values()].sort((a, b) => a.name.localeCompare(b.name)),
      workers: workers.size,
      skipped,
    }),
  };
}

/** One reviewer's decisions in this campaign that became ratings. */
export interface Reviewer {
  readonly member: MemberId;
  readonly decisions: Readonly<Record<Verdict, number>>;
  readonly all: number;
}

/** Counts a campaign's decisions that became ratings, by reviewer; most decisions first. */
export async function reviewersIn(
  lines: AsyncIterable<AuditEntry>,
  campaign: CampaignId,
): Promise<Reviewer[]> {
  const counts = new Map<MemberId, Record<Verdict, number>>();
  for await (const { what, by, verdict, ...line } of lines) {
    if (what !== 'applied' || line.campaign !== campaign || !by || !verdict) continue;
    const decisions = counts.get(by) ?? { OK: 0, REVISE: 0, NOK: 0 };
    decisions[verdict] += 1;
    counts.set(by, decisions);
  }
  return [...counts]
    .map(([member, decisions]) => ({
      member,
      decisions,
      all: decisions.OK + decisions.REVISE + decisions.NOK,
    }))
    .sort((a, b) => b.all - a.all || a.member.localeCompare(b.member));
}

function count(groups: Map<string, Group>, name: string, rating: Rating): void {
  const { tasks, ok, nok } = groups.get(name) ?? { tasks: 0, ok: 0, nok: 0 };
  groups.set(name, {
    name,
    tasks: tasks + 1,
    ok: ok + (rating === 'OK' ? 1 : 0),
    nok: nok + (rating === 'NOK' ? 1 : 0),
  });
}
