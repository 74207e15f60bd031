import { cardJobKey } from '../../jobs/catalogue.ts';
import type { Feature } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';

/** Creates the handling of deactivated members: their personal data are deleted at once. */
export function createDepartures({
  jobs,
  logger,
  memberData,
  notes,
}: Pick<FeatureContext, 'jobs' | 'logger' | 'memberData' | 'notes'>): Feature {
  return {
    async memberChanged({ workspace, member, isDeactivated }) {
      if (!isDeactivated) return;
      const erased = await memberData.erase(workspace, member);
      const gone = await notes.eraseOf(workspace, member);
      const updates = gone.map(({ ref, task }) => ({ ...ref, task, isBackground: true as const }));
      await jobs.addAll('redraw', updates, cardJobKey);
      logger.info(
        { event: 'member-erased', workspace, member, ...erased, notes: gone.length },
        'data of a deactivated member deleted',
      );
    },
  };
}
