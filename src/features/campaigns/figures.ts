import type { Campaign } from '../../domain/campaign.ts';
import type { CampaignStatus } from '../../domain/terms.ts';

/** Statuses as people say them. */
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
 * Positions that are neither accepted nor in somebody's hands. Refused tasks do not fill theirs. `inCorrection`: tasks
 * sent back with REVISE, which the marketplace's list does not count.
 */
export function positionsLeft(campaign: Campaign, inCorrection = 0): number {
  const { availablePositions, tasksOk, tasksNotRated, tasksNotReviewed } = campaign;
  return Math.max(0, availablePositions - tasksOk - tasksNotRated - tasksNotReviewed - inCorrection);
}

/** How many more accepted tasks it takes to get what was wanted: what a restart proposes. */
export function shortfall(campaign: Campaign): number {
  return Math.max(0, campaign.availablePositions - campaign.tasksOk);
}

/** A number as people read it: `12,000`. */
export function count(value: number): string {
  return value.toLocaleString('en');
}

/** `1 task`, `2 tasks`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/**
 * A bar of text, `width` characters long: each part in its own character, by its share. A part above 0 gets at least
 * one character.
 */
export function bar(
  parts: readonly { readonly value: number; readonly mark: string }[],
  width: number,
): string {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  if (total === 0) return '';
  const lengths = parts.map(({ value }) =>
    value === 0 ? 0 : Math.max(1, Math.round((value / total) * width)),
  );
  while (lengths.reduce((sum, length) => sum + length, 0) !== width) {
    const step = lengths.reduce((sum, length) => sum + length, 0) > width ? -1 : 1;
    const longest = lengths.indexOf(Math.max(...lengths));
    lengths[longest] = (lengths[longest] ?? 0) + step;
  }
  return parts.map(({ mark }, index) => mark.repeat(lengths[index] ?? 0)).join('');
}
