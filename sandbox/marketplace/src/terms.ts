/** "Task rating values" of the API. */
export const ratings = ['NOTREVIEWED', 'NOTRATED', 'OK', 'NOK', 'REVISE'] as const;
export type Rating = (typeof ratings)[number];

/** The values of `rating` in rate_task and rate_tasks. */
export const verdicts = ['OK', 'NOK', 'REVISE'] as const;
export type Verdict = (typeof verdicts)[number];

/** "States and transitions" of the API. */
export const campaignStatuses = [
  'PENDING_REVIEW',
  'RUNNING',
  'FINISHED',
  'PENDING_RESTART',
  'PAUSED',
  'PAUSED_ADMIN',
  'PAUSED_SYSTEM',
  'BLOCKED',
] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];
