import { resultsSeparator } from './assumptions.ts';
import { formatDatetime } from './datetime.ts';
import type { Call } from './endpoint.ts';
import { type Campaign, countsAsOf, taskAsOf } from './model.ts';
import { formatMoney } from './money.ts';

function cell(value: string): string {
  return /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Returns the text of `csv` in results_csv ("9. Campaign results as CSV"). */
export function resultsCsv(
  campaign: Campaign,
  { world: { workers }, now, asOf }: Pick<Call, 'world' | 'now' | 'asOf'>,
): string {
  const isCurrent = asOf >= now;
  const counts = isCurrent ? campaign.counts : countsAsOf(campaign, asOf);
  const submitted = isCurrent
    ? campaign.tasks.length
    : Object.values(counts).reduce((sum, count) => sum + count, 0);
  const slots = campaign.tasks.reduce((most, task) => Math.max(most, task.proof.length), 1);
  const lines = [
    `CAMPAIGN_TITLE,${cell(campaign.title)}`,
    `CAMPAIGN_STATUS,${campaign.campaign_status}`,
    `CAMPAIGN_ID,${campaign.campaign_id}`,
    `AVAILABLE_POSITIONS,${campaign.available_positions}`,
    `PAYMENT_PER_TASK,${formatMoney(campaign.payment_per_task)}`,
    `CREATED,${formatDatetime(campaign.created)}`,
    `MAX_POS_PER_WORKER,${campaign.max_positions_per_worker}`,
    `GROUP,${cell(campaign.group_id)}`,
    `REQUIRED_PROOFS,${campaign.required_proof.length}`,
    resultsSeparator,
    `TASKS_SUBMITTED,${submitted}`,
    `TASKS_OK,${counts.OK}`,
    `TASKS_NOK,${counts.NOK}`,
    `TASKS_NOTRATED,${counts.NOTRATED}`,
    resultsSeparator,
    [
      'ROW,CSV_ROW,TASK_ID,USER_ID,USERNAME,TASK_RATING,FINISHED,IP,COUNTRY_CODE',
      ...Array.from({ length: slots }, (_, slot) => `PROOF_${slot + 1}`),
      'EMPLOYER_COMMENT,HTTP_USER_AGENT',
    ].join(','),
  ];
  // Thousands of rows share workers and seconds, so their cells are memoized.
  const people = memoize((id: string) => cell(workers.get(id)?.username ?? ''));
  const agents = memoize(cell);
  const comments = memoize(cell);
  const moments = memoize(formatDatetime);
  let row = 0;
  for (const task of campaign.tasks) {
    const shown = isCurrent ? task : taskAsOf(task, asOf);
    if (shown === undefined) continue;
    row += 1;
    let proofs = '';
    for (let slot = 0; slot < slots; slot += 1) proofs += `,${cell(shown.proof[slot] ?? '')}`;
    lines.push(
      `${row},${task.csv_record_nr},${task.task_id},${task.worker_id},${people(task.worker_id)},` +
        `${shown.task_rating},${moments(shown.finished)},${task.ip},${task.country}${proofs},` +
        `${comments(shown.employer_comment)},${agents(task.user_agent)}`,
    );
  }
  return lines.join('\n');
}

/** Returns the function memoized by its key. */
function memoize<Key>(make: (key: Key) => string): (key: Key) => string {
  const cache = new Map<Key, string>();
  return (key) => {
    let made = cache.get(key);
    if (made === undefined) {
      made = make(key);
      cache.set(key, made);
    }
    return made;
  };
}
