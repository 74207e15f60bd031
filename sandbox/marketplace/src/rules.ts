import { formatDatetime } from './datetime.ts';
import { isCountryCode, isInZone } from './geography.ts';
import type { Campaign, Task } from './model.ts';
import type { Money } from './money.ts';
import { bonusRange, money } from './money.ts';
import type { Verdict } from './terms.ts';
import { verdicts } from './terms.ts';

/** One entry of rate_task or rate_tasks, as sent. */
export interface RatingRequest {
  readonly id_task: string;
  readonly rating: string;
  readonly comment: string;
  /** Empty: none. */
  readonly bonus: string;
  readonly favorite: string;
}

export const errorTexts = {
  onlyNotRated: 'ONLY NOTRATED TASK CAN BE RATED',
  notInCampaign: 'TASK NOT IN THIS CAMPAIGN',
  bonusOutside: 'Bonus you entered is outside allowed values',
  balanceTooLow: 'Your account balance is too low to add bonus',
  notUnique: 'id_task IS NOT UNIQUE',
} as const;

export function isVerdict(text: string): text is Verdict {
  return (verdicts as readonly string[]).includes(text);
}

/** Parses a decimal in the required form: digits, a point, at most five decimal places. */
export function readDecimal(text: string): Money | undefined {
  return /^\d{1,12}(\.\d{1,5})?$/.test(text) ? money(text) : undefined;
}

/** Parses an integer with an optional sign; undefined for anything else. */
export function readInteger(text: string): number | undefined {
  if (!/^[+-]?\d{1,12}$/.test(text)) return undefined;
  return Number(text);
}

/**
 * Returns the errors of one rating in rate_task's order; none if it may be applied. `commentMissing` is the text for a
 * missing comment, which the two endpoints word differently.
 */
export function ratingErrors(
  campaign: Campaign,
  task: Task | undefined,
  request: RatingRequest,
  rules: { balance: Money; commentMissing: string },
): string[] {
  const status = campaign.campaign_status;
  if (status === 'PAUSED_ADMIN' || status === 'PENDING_REVIEW') return [`CAMPAIGN IS ${status}`];
  if (task?.campaign_id !== campaign.campaign_id) return [errorTexts.notInCampaign];
  if (task.task_rating !== 'NOTRATED') return [errorTexts.onlyNotRated];
  const errors: string[] = [];
  if ((request.rating === 'NOK' || request.rating === 'REVISE') && request.comment.trim() === '') {
    errors.push(rules.commentMissing);
  }
  if (request.bonus !== '') {
    const bonus = readDecimal(request.bonus);
    const { min, max } = bonusRange(campaign.payment_per_task);
    if (!bonus || bonus.lt(min) || bonus.gt(max)) errors.push(errorTexts.bonusOutside);
    else if (request.rating === 'OK' && bonus.gt(rules.balance)) errors.push(errorTexts.balanceTooLow);
  }
  return errors;
}

export interface Targeting {
  readonly includes: string[];
  readonly excludes: string[];
}

/** Splits `countries[]` into includes and excludes, which have the mark. */
export function readTargeting(countries: readonly string[], excludeMark: string): Targeting {
  const excludes = countries.filter((entry) => entry.startsWith(excludeMark));
  return {
    includes: countries.filter((entry) => !entry.startsWith(excludeMark)),
    excludes: excludes.map((entry) => entry.slice(excludeMark.length)),
  };
}

/** Returns why a retarget is refused, or undefined ("11. Retarget campaign" and its error texts). */
export function retargetError(
  campaign: Campaign,
  { includes, excludes }: Targeting,
  rules: { now: number; waitSeconds: number; timestamp: 'datetime' | 'epoch' },
): string | undefined {
  const all = [...includes, ...excludes];
  if (all.length === 0) return 'NO INPUT';
  const unknown = all.find((code) => !isCountryCode(code));
  if (unknown !== undefined) return `"${unknown}" IS UNKNOWN COUNTRY CODE`;
  if (excludes.length > 10) return 'TOO MANY EXCLUDES (MAX 10)';
  if (includes.length === 0) return 'INCLUDES NECESSARY (MIN 1)';
  const outside = all.filter((code) => !isInZone(code, campaign.zone));
  if (outside.length > 0) {
    return `NOT ALL OF THE SELECTED COUNTRIES ARE AVAILABLE IN THIS ZONE:${outside.join(',')}`;
  }
  const next = (campaign.retargeted ?? Number.NEGATIVE_INFINITY) + rules.waitSeconds * 1000;
  // The answer has whole seconds only, and a retarget at exactly that time must be accepted.
  if (rules.now < Math.floor(next / 1000) * 1000) {
    const at = Math.floor(next / 1000);
    return `NEXT RETARGET:${rules.timestamp === 'epoch' ? at : formatDatetime(at * 1000)}`;
  }
  return undefined;
}

export interface Pager {
  current_page: number;
  entries_on_this_page: number;
  entries_per_page: number;
  first: number;
  last: number;
  first_page: number;
  last_page: number;
  next_page: number | null;
  previous_page: number | null;
  total_entries: number;
}

/** Returns the pager of worker/b_tasks: positions count from 1, and are 0 on a page without entries. */
export function pagerOf(total: number, page: number, perPage: number): Pager {
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  const before = Math.min(total, (page - 1) * perPage);
  const here = Math.min(perPage, total - before);
  return {
    current_page: page,
    entries_on_this_page: here,
    entries_per_page: perPage,
    first: here > 0 ? before + 1 : 0,
    last: here > 0 ? before + here : 0,
    first_page: 1,
    last_page: lastPage,
    next_page: page < lastPage ? page + 1 : null,
    previous_page: page > 1 ? Math.min(page - 1, lastPage) : null,
    total_entries: total,
  };
}
