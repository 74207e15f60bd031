import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';

/**
 * Grants the reviewer role, once, to everybody who decided on an account's tasks before roles existed, so that an
 * upgrade locks no reviewer out. Safe to run in each process; one of them takes effect.
 */
export async function upgradeRights(
  { audit, grants, now }: Pick<FeatureContext, 'audit' | 'grants' | 'now'>,
  ref: AccountRef,
): Promise<void> {
  if ((await grants.of(ref)).upgraded === true) return;
  const reviewers = new Set<MemberId>();
  for await (const { what, by } of audit.lines(ref)) {
    if (what === 'decided' && by !== undefined) reviewers.add(by);
  }
  const at = now();
  const added = [...reviewers].map((id) => ({ to: { kind: 'member', id }, role: 'reviewer', at }) as const);
  await grants.change(ref, { type: 'upgraded', grants: added }, { how: 'setting' });
}
