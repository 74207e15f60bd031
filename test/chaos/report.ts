import { faultPoints, type LiveMessageName, renderFaultPoints } from '../../src/domain/fault-points.ts';
import type { Kills } from './faults.ts';
import { type Outcome, seconds } from './run.ts';
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

/** Returns the report of a run, in Markdown. */
export function report(
  { settings, findings, kills, redisKills, log, faults, settledAfterMs, durationMs }: Outcome,
  machine: { readonly node: string; readonly cores: number; readonly at: Date },
): string {
  const { counts } = findings;
  const killed = kills.anywhere + [...kills.atPoints.values()].reduce((sum, times) => sum + times, 0);
  const rows = (entries: Iterable<readonly [string, string | number]>) =>
    [...entries].map(([name, value]) => `| ${name} | ${value} |`).join('\n');
  return `# The last long chaos run

Written by \`npm run chaos\` (seed ${settings.seed}: \`npm run chaos -- --seed ${settings.seed}\` does the same as far as timing allows),
${machine.at.toISOString().slice(0, 10)}, Node ${machine.node}, ${machine.cores} cores, in ${seconds(durationMs)}. How it works: [test/chaos/run.ts](../test/chaos/run.ts).

## What must be zero

| | |
|---|---|
${rows(findingCounts(findings))}

## What was done

| | |
|---|---|
${rows([
  ['bot processes', settings.processes],
  ['campaigns', settings.campaigns],
  ['tasks', settings.tasks],
  ['of these, submitted before the bots started', settings.backlog],
  ['rounds of review (with corrections)', counts.rounds],
  ['cards', counts.cards],
  ['inbox messages', settings.messages],
  ['decisions tried by 4 reviewers', log.tried],
  ['decisions seen accepted on a card', counts.accepted],
  ['ratings at the marketplace', counts.applied],
  ['corrections after REVISE', log.corrected],
  ['clicks for more cards of the backlog', log.moreCardsClicked],
  ['summaries deleted by somebody', log.summariesDeleted],
  ['lines of the audit trail', counts.auditLines],
  ['processes killed with kill -9', killed],
  ['of these, inside cards', killsWithin(kills, 'card')],
  ['of these, inside announcements', killsWithin(kills, 'announcement')],
  ['of these, inside summaries', killsWithin(kills, 'summary')],
  ['Redis killed and restarted with its append-only file', redisKills],
  ['time that Redis stayed down the last time', seconds(settings.redisDownMs)],
  ['settled after the end of all faults', seconds(settledAfterMs)],
])}

## Processes killed, by fault point

| Fault point | Times |
|---|---|
${rows([...faultPoints.map((point) => [point, kills.atPoints.get(point) ?? 0] as const), ['at any other moment', kills.anywhere]])}

## Failures of calls and deliveries

${Math.round(settings.failureRate * 100)} % of the calls to Slack, of those to the marketplace, and of Slack's deliveries. Deliveries made
twice or late come on top: the sandbox's log does not mark them.

| Failure | Times |
|---|---|
${rows([...faults].sort(([a], [b]) => (a < b ? -1 : 1)))}
`;
}
