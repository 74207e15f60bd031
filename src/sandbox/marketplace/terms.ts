/** "Task rating values" of the API. */
export const ratings = ['NOTREVIEWED', 'NOTRATED', 'OK', 'NOK', 'REVISE'] as const;
export type Rating = (typeof ratings)[number];

/** Values of `rating` in rate_task and rate_tasks. */
export const verdicts = ['OK', 'REVISE', 'NOK'] as const;
export type Verdict = (typeof verdicts)[number];

/** Whether a rating must have a comment. */
export const needsComment = (verdict: Verdict): boolean => verdict !== 'OK';

/** "States and transitions" of the API. */
export const campaignStatuses = [
  'BLOCKED',
  'PENDING_REVIEW',
  'PENDING_RESTART',
  'PAUSED',
  'PAUSED_ADMIN',
  'RUNNING',
  'PAUSED_SYSTEM',
  'FINISHED',
] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];
