import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onForm, onView } from '../../kit/on.ts';
import { limitsIn, limitsModal, limitsSavedModal, limitsState, limitsText } from './limits.view.ts';

/** Creates the form for an account's spending limits, above its settings. */
export function createLimits({ audit, people, marketplace }: Modules) {
  return {
    open: onView(limitsState, 'settings', async ({ ref, open }) =>
      open(
        limitsModal(
          limitsState.encode({ account: ref.account }),
          await people.spending.limits(ref),
          marketplace.zone,
        ),
      ),
    ),

    save: onForm(limitsState, 'settings', async (submission) => {
      const { ref } = submission;
      const { account } = ref;
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
    }),
  };
}
