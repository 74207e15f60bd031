import type { Feature } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';

/** Creates the handling of deactivated members: their personal data are deleted at once. */
export function createDepartures({
  cardLine,
  logger,
  memberData,
  notes,
  tasks,
}: Pick<FeatureContext, 'cardLine' | 'logger' | 'memberData' | 'notes' | 'tasks'>): Feature {
  return {
    async memberChanged({ workspace, member, isDeactivated }) {
      if (!isDeactivated) return;
      const erased = await memberData.erase(workspace, member);
      const gone = await notes.eraseOf(workspace, member);
      for (const { ref, task } of gone) await cardLine.changed(ref, await tasks.getMany(ref, [task]));
      logger.info(
        { event: 'member-erased', workspace, member, ...erased, notes: gone.length },
        'data of a deactivated member deleted',
      );
    },
  };
}
