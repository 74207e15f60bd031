/** Who owns the accounts; the other reviewers are managers, with a limit for each bonus. */
export const owners: readonly string[] = ['U01ANN', 'U04DAN'];

/** Bonuses above it are asked for by those who are no owners. */
export const bonusLimit = '0.05';

/** A bonus that has to be approved. */
export const bonusAboveLimit = '0.09';

/** Returns the bonus that somebody tries: one in two is above the limit. */
export function bonusFor(attempt: number): string {
  return `0.0${(attempt % 9) + 1}`;
}
