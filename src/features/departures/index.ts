import type { Feature } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';

/** Creates what happens when a member is deactivated: what is stored of them alone is deleted, at once. */
export function createDepartures({
  logger,
  memberData,
}: Pick<FeatureContext, 'logger' | 'memberData'>): Feature {
  return {
    async memberChanged({ workspace, member, isDeactivated }) {
      if (!isDeactivated) return;
      const { hadKey, drafts, typedTexts, assignments } = await memberData.erase(workspace, member);
      logger.info(
        { event: 'member-erased', workspace, member, hadKey, drafts, typedTexts, assignments },
        'data of a deactivated member deleted',
      );
    },
  };
}
