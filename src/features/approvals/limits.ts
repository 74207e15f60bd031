import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Click, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { limitsIn, limitsModal, limitsSavedModal, limitsState, limitsText } from './limits.view.ts';

/** Creates the form for an account's spending limits, above its settings. */
export function createLimits({ audit, people, marketplace }: Modules) {
  return {
    async open(click: Click): Promise<void> {
      const { view } = click;
      if (view === undefined) return;
      const { account } = limitsState.decode(view.state);
      const ref = await click.authorize({ account });
      const modal = limitsModal(
        limitsState.encode({ account }),
        await people.spending.limits(ref),
        marketplace.zone,
      );
      await click.open(modal);
    },

    async save(submission: Submission): Promise<SubmissionAnswer> {
      const { account } = limitsState.decode(submission.state);
      const ref = await submission.authorize({ account });
      const parsed = limitsIn(submission.values);
      if ('errors' in parsed) return parsed;
      const { limits } = parsed;
      // Limits belong to the workspace: their entry goes to its trail, where one Redis step writes both.
      const step = audit.step(
        { workspace: ref.workspace },
        {
          what: 'set limits',
          ...doneBy(submission),
          account,
          before: limitsText(await people.spending.limits(ref)),
          after: limitsText(limits),
        },
      );
      await people.spending.setLimits(ref, limits, step);
      return { update: limitsSavedModal(limits) };
    },
  };
}
