import type { Campaign } from '../../domain/campaign.ts';
import type { CampaignStatus } from '../../domain/terms.ts';

/** Statuses in words. */
export const statusWords: Readonly<Record<CampaignStatus, string>> = {
  RUNNING: 'Running',
  FINISHED: 'Finished',
  PAUSED: 'Paused',
  PAUSED_ADMIN: 'Paused by an administrator',
  PAUSED_SYSTEM: 'Paused by the system',
  PENDING_REVIEW: 'Waiting for review by the marketplace',
  PENDING_RESTART: 'Waiting for its restart',
  BLOCKED: 'Blocked',
};

/**
 * Returns the positions that are neither accepted nor in progress. Refused tasks fill none. `inCorrection`: tasks sent
 * back with REVISE, which the marketplace's list does not count.
 */
export function positionsLeft(campaign: Campaign, inCorrection = 0): number {
  const { availablePositions, tasksOk, tasksNotRated, tasksNotReviewed } = campaign;
  return Math.max(0, availablePositions - tasksOk - tasksNotRated - tasksNotReviewed - inCorrection);
}

/** Returns how many more accepted tasks are needed: the suggestion for a restart. */
export function shortfall(campaign: Campaign): number {
  return Math.max(0, campaign.availablePositions - campaign.tasksOk);
}

/** Returns a formatted number: `12,000`. */
export function count(value: number): string {
  return value.toLocaleString('en');
}

/** Returns `1 task`, `2 tasks`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
