import { z } from 'zod';
import type { Money } from './money.ts';
import { CampaignId, type CampaignStatus, campaignStatuses } from './terms.ts';

/** A campaign as last seen in the marketplace's list, stored so that forms and cards need no request. */
export const Campaign = z
  .object({
    id: CampaignId,
    title: z.string(),
    status: z.enum(campaignStatuses),
    availablePositions: z.number(),
    /** Milliseconds since 1970; absent when unreadable. */
    createdAt: z.number().exactOptional(),
    targetedCountries: z.string(),
    excludedCountries: z.string(),
    /** Decimal text. */
    paymentPerTask: z.string(),
    speed: z.string(),
    tasksOk: z.number(),
    tasksNok: z.number(),
    tasksNotRated: z.number(),
    tasksNotReviewed: z.number(),
  })
  .readonly();
export type Campaign = z.infer<typeof Campaign>;

/** Returns a campaign's title, as plain text; one without a known title is named by its id. */
export function campaignTitleOf(id: string, title: string | undefined): string {
  return title?.trim() || `Campaign ${id}`;
}

/** Returns the part of a listed campaign that is stored. */
export function campaignOf(
  listed: Omit<Campaign, 'createdAt' | 'paymentPerTask'> & {
    readonly createdAt: Date | undefined;
    readonly paymentPerTask: Money;
  },
): Campaign {
  const { id, title, status, availablePositions, createdAt, targetedCountries, excludedCountries, speed } =
    listed;
  const { tasksOk, tasksNok, tasksNotRated, tasksNotReviewed } = listed;
  return {
    id,
    title,
    status,
    availablePositions,
    ...(createdAt ? { createdAt: createdAt.getTime() } : {}),
    targetedCountries,
    excludedCountries,
    paymentPerTask: listed.paymentPerTask.toFixed(),
    speed,
    tasksOk,
    tasksNok,
    tasksNotRated,
    tasksNotReviewed,
  };
}

/** Returns a campaign's counts as text, which changes whenever the results may have. */
export function countsOf(campaign: Campaign): string {
  const { tasksOk, tasksNok, tasksNotRated, tasksNotReviewed } = campaign;
  return [tasksOk, tasksNok, tasksNotRated, tasksNotReviewed].join('/');
}

/** Returns the number of tasks in a campaign's counts. New tasks add to it; ratings do not. */
export function tasksIn({ tasksOk, tasksNok, tasksNotRated, tasksNotReviewed }: Campaign): number {
  return tasksOk + tasksNok + tasksNotRated + tasksNotReviewed;
}

/**
 * Returns whether a campaign's results may change while its counts stay the same: it runs, or some tasks are not final.
 * Such campaigns are also imported in full at longer intervals.
 */
export function isActive(campaign: Campaign): boolean {
  return campaign.status === 'RUNNING' || campaign.tasksNotRated > 0 || campaign.tasksNotReviewed > 0;
}

/** Returns why a campaign currently refuses ratings ("States and transitions"), or undefined if it does not. */
export function ratingPause(status: CampaignStatus): 'PAUSED_ADMIN' | 'PENDING_REVIEW' | undefined {
  return status === 'PAUSED_ADMIN' || status === 'PENDING_REVIEW' ? status : undefined;
}
