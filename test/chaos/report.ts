import {
  deskFaultPoints,
  faultPoints,
  type LiveMessageName,
  renderFaultPoints,
} from '../../src/domain/fault-points.ts';
import { groupBy } from '../../src/domain/group.ts';
import { roundsOf } from './check-cards.ts';
import type { Evidence } from './evidence.ts';
import { exercised } from './exercised.ts';
import type { Kills } from './faults.ts';
import { type Outcome, seconds } from './run.ts';
import { outageKinds } from './schedule.ts';
import { timeScale } from './settings.ts';
import { type Findings, findingCounts } from './verify.ts';

/** Returns all findings of a run in one line. */
export function findingsLine(findings: Findings): string {
  const counts = findingCounts(findings).map(([name, count]) => `${name} ${count}`);
  return `Findings, all of which must be 0: ${counts.join(' · ')}`;
}

/** Returns how many processes were killed at the fault points of one kind of live message. */
export function killsWithin({ atPoints }: Kills, name: LiveMessageName): number {
  return renderFaultPoints(name).reduce((sum, point) => sum + (atPoints.get(point) ?? 0), 0);
}

/** Returns the decisions that have become ratings. */
function ended({ audit }: Pick<Evidence, 'audit'>): readonly string[] {
  const applied = audit.filter(({ what }) => what === 'applied');
  return [...new Set(applied.flatMap(({ decision }) => decision ?? []))];
}

/** Returns how a decision was made, from its id. */
function wayOf(decision: string): string {
  const ways = { focus: 'in focus review', bulk: 'in bulk' };
  const way = (Object.keys(ways) as (keyof typeof ways)[]).find((name) => decision.startsWith(`${name}-`));
  return way === undefined ? 'on cards and by approvals' : ways[way];
}

/** Returns the report of a run, in Markdown. */
export function report(
  outcome: Outcome,
  machine: { readonly node: string; readonly cores: number; readonly at: Date },
): string {
  const { settings, findings, evidence, outages, days, kills, log, faults, durationMs } = outcome;
  const { tasks } = evidence.marketplace;
  const killed = kills.anywhere + [...kills.atPoints.values()].reduce((sum, times) => sum + times, 0);
  const rows = (entries: Iterable<readonly (string | number)[]>) =>
    [...entries].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const shared = outages.filter(({ overlapping }) => overlapping > 0).length;
  const long = (ms: number) => seconds(ms * timeScale);
  return `# The last long chaos run

Written by \`npm run chaos\` (seed ${settings.seed}: \`npm run chaos -- --seed ${settings.seed}\` has the same schedule),
${machine.at.toISOString().slice(0, 10)}, Node ${machine.node}, ${machine.cores} cores, in ${seconds(durationMs)}. How it works: [test/chaos/run.ts](../test/chaos/run.ts);
what is judged, and how: [test/chaos/verify.ts](../test/chaos/verify.ts).

Everything goes **${timeScale} times faster** than in production: each timeout, lease, interval and rate limit of the bot, the poll, Undo, the
rate limits of both sandboxes, and the schedule of outages. A simulated week has ${settings.days} days of ${long(settings.dayMs)} with outages, as long as
they take in production; after them people work on for ${long(settings.eveningMs)}, while single calls fail and processes are killed; the hours in
between, in which nothing fails, are left out. After each day everything has to be quiet
within ${seconds(settings.settleWithinMs)}, which is not shortened, besides what Slack's rate limits take for what is left.

## What must be zero

| | |
|---|---|
${rows(findingCounts(findings))}

## What was done

| | |
|---|---|
${rows([
  ['bot processes', settings.processes],
  [
    'accounts; channels with cards',
    `2; ${new Set([...evidence.view.cards.values()].map(({ channel }) => channel)).size}`,
  ],
  ['campaigns', settings.campaigns],
  ['tasks', tasks.length],
  ['of these, submitted before the bots started', settings.backlog],
  ['rounds of review (with corrections)', tasks.reduce((sum, task) => sum + roundsOf(task), 0)],
  ['cards', evidence.view.cards.size],
  ['inbox messages', evidence.marketplace.messages.length],
  ['decisions tried by 4 reviewers', log.tried],
  ['decisions read as accepted, on a card or in focus review', log.accepted.size],
  ['focus reviews', log.reviews],
  ['bulk ratings confirmed', log.bulk.size],
  ['replies in threads', log.replies],
  ['tasks taken', log.taken],
  ['approvals pressed', log.approved],
  ...exercised(evidence).map(({ what, times }) => [what, times] as const),
  ...[...groupBy(ended(evidence), wayOf)].map(
    ([way, all]) => [`ratings decided ${way}`, all.length] as const,
  ),
  ['Undo clicked', log.undone.size],
  [
    'ratings at the marketplace',
    tasks.reduce((sum, { history }) => sum + history.filter(({ by }) => by === 'api').length, 0),
  ],
  ['corrections after REVISE', log.corrected],
  ['summaries deleted by somebody', log.summariesDeleted],
  ['messages that tell of paused campaigns', evidence.view.campaignNotices.size],
  ['daily summaries asked for', evidence.dailies.length],
  ['lines of the audit trail', evidence.audit.length],
  [
    'ratings with a bonus',
    tasks.reduce(
      (sum, { history }) => sum + history.filter(({ by, bonus }) => by === 'api' && bonus !== '').length,
      0,
    ),
  ],
  ['processes killed with kill -9 besides the schedule', killed],
  ['of these, inside cards', killsWithin(kills, 'card')],
  ['of these, inside announcements', killsWithin(kills, 'announcement')],
  ['of these, inside summaries of what waits', killsWithin(kills, 'queue')],
  [
    'of these, inside focus review, bulk ratings, replies, approvals and assignments',
    deskFaultPoints.reduce((sum, point) => sum + (kills.atPoints.get(point) ?? 0), 0),
  ],
])}

## Days

| Day | From Slack by | Settled after the end of all faults | Allowed, with Slack’s pace |
|---|---|---|---|
${rows(days.map(({ day, transport, settledAfterMs, settleWithinMs }) => [day, transport === 'socket' ? 'Socket Mode' : 'HTTP', seconds(settledAfterMs), seconds(settleWithinMs)]))}

## Outages

${outages.length} outages, ${shared} of them at the same time as others, up to ${Math.max(...outages.map(({ overlapping }) => overlapping)) + 1} at once. Lengths as in production.

| Outage | Times | Shortest | Longest |
|---|---|---|---|
${rows(
  Object.values(outageKinds)
    .flat()
    .map((kind) => {
      const lengths = outages.filter((outage) => outage.kind === kind).map(({ duration }) => duration);
      return [kind, lengths.length, long(Math.min(...lengths)), long(Math.max(...lengths))];
    }),
)}

## Processes killed, by fault point

| Fault point | Times |
|---|---|
${rows([...faultPoints.map((point) => [point, kills.atPoints.get(point) ?? 0] as const), ['at any other moment', kills.anywhere]])}

## Failures of single calls and deliveries

${Math.round(settings.failureRate * 100)} % of the calls to Slack, of those to the marketplace, and of Slack's deliveries, besides the outages, which are counted
here too. Deliveries made twice or late come on top: the sandbox's log does not mark them.

| Failure | Times |
|---|---|
${rows([...faults].sort(([a], [b]) => (a < b ? -1 : 1)))}
`;
}
