import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';
import { frameOf } from './focus-frame.ts';

/**
 * Renews a review's leases when somebody types or chooses in one of its forms: a reviewer who takes long to write is not
 * away.
 * @param state of the form, which may be outside a review
 */
export async function renewReview(
  { taskLeases }: Pick<FeatureContext, 'taskLeases'>,
  ref: AccountRef,
  state: string,
): Promise<void> {
  const focus = frameOf(state);
  if (focus !== undefined) await taskLeases.renew(ref, focus.session);
}
