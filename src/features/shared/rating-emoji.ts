import type { Rating } from '../../domain/terms.ts';

/** The emoji shown before each rating. */
export const ratingEmoji: Readonly<Record<Rating, string>> = {
  OK: ':white_check_mark:',
  NOK: ':x:',
  REVISE: ':leftwards_arrow_with_hook:',
  NOTRATED: ':radio_button:',
  NOTREVIEWED: ':mag:',
};
