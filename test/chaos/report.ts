import { faultPoints } from '../../src/domain/fault-points.ts';
import { type Outcome, seconds } from './run.ts';

/** The report of a run, in Markdown. */
export function report(
  { setting, findings, killed, redisKills, tried, corrected, faults, quietAfterMs, durationMs }: Outcome,
  machine: { readonly node: string; readonly cores: number; readonly at: Date },
): string {
  const { counts } = findings;
  const kills = killed.anywhere + [...killed.atPoints.values()].reduce((sum, times) => sum + times, 0);
  const rows = (entries: Iterable<readonly [string, string | number]>) =>
    [...entries].map(([name, value]) => `| ${name} | ${value} |`).join('\n');
  return `# The last long chaos run

Written by \`npm run chaos\` (seed ${setting.seed}: \`npm run chaos -- --seed ${setting.seed}\` does the same as far as timing allows),
${machine.at.toISOString().slice(0, 10)}, Node ${machine.node}, ${machine.cores} cores, in ${seconds(durationMs)}. How it works: [test/chaos/run.ts](../test/chaos/run.ts).

## What must be zero

| | |
|---|---|
${rows([
  ['cards missing', findings.cardsMissing.length],
  ['duplicate cards (per task and round)', findings.cardsTwice.length],
  ['inbox messages not announced exactly once', findings.announcementsWrong.length],
  [
    'decisions lost (seen accepted, then neither a rating nor undone, refused or overtaken)',
    findings.decisionsLost.length,
  ],
  ['ratings applied twice', findings.appliedTwice.length],
  ['cards showing a wrong state', findings.cardsWrong.length],
  ['differences between the audit trail and the marketplace’s own record', findings.auditWrong.length],
  ['left undone when quiet was reached', findings.unsettled.length],
])}

## What was done

| | |
|---|---|
${rows([
  ['bot processes', setting.processes],
  ['campaigns', setting.campaigns],
  ['tasks', setting.tasks],
  ['rounds of review (with corrections)', counts.rounds],
  ['cards', counts.cards],
  ['decisions tried by 4 reviewers', tried],
  ['decisions seen accepted on a card', counts.witnessed],
  ['ratings at the marketplace', counts.applied],
  ['corrections after REVISE', corrected],
  ['lines of the audit trail', counts.auditLines],
  ['processes killed with kill -9', kills],
  ['Redis killed and restarted with its append-only file', redisKills],
  ['of these, away the last time for', seconds(setting.redisAwayMs)],
  ['quiet after the end of all troubles', seconds(quietAfterMs)],
])}

## Processes killed, by the moment

| Moment | Times |
|---|---|
${rows([...faultPoints.map((point) => [point, killed.atPoints.get(point) ?? 0] as const), ['anywhere', killed.anywhere]])}

## Failures of calls and deliveries

${Math.round(setting.failing * 100)} % of the calls to Slack, of those to the marketplace, and of Slack's deliveries. Deliveries made twice or late come on
top: the sandbox's log does not mark them.

| Failure | Times |
|---|---|
${rows([...faults].sort(([a], [b]) => (a < b ? -1 : 1)))}
`;
}
