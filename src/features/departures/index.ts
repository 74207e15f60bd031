import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';

/** Creates the handling of deactivated members: their personal data are deleted at once. */
export function createDepartures({ slack, log, people, tasks }: Modules): Feature {
  return {
    async memberChanged({ workspace, member, isDeactivated }) {
      if (!isDeactivated) return;
      const erased = await people.data.erase(workspace, member);
      const gone = await tasks.notes.eraseOf(workspace, member);
      for (const { ref, task } of gone) await slack.cards.changed(ref, await tasks.getMany(ref, [task]));
      log.info(
        { event: 'member-erased', workspace, member, ...erased, notes: gone.length },
        'data of a deactivated member deleted',
      );
    },
  };
}
