/** The owners of the accounts; the other reviewers are managers, with a limit per bonus. */
export const owners: readonly string[] = ['U01ANN', 'U04DAN'];

/** Non-owners must request approval for larger bonuses. */
export const bonusLimit = '0.05';

/** A bonus that must be approved. */
export const bonusAboveLimit = '0.09';

/** Returns the bonus for an attempt: every other one is above the limit. */
export function bonusFor(attempt: number): string {
  return `0.0${(attempt % 9) + 1}`;
}
