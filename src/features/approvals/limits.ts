import type { Click, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { doneBy } from '../shared/audited-act.ts';
import type { FeatureContext } from '../shared/context.ts';
import { limitsIn, limitsModal, limitsSavedModal, limitsState, limitsText } from './limits.view.ts';

type Deps = Pick<FeatureContext, 'audit' | 'messengerOf' | 'spendingStore' | 'zone'>;

/** Creates the form for an account's spending limits, above its settings. */
export function createLimits({ audit, messengerOf, spendingStore, zone }: Deps) {
  return {
    async open(click: Click): Promise<void> {
      const { view, workspace, triggerId } = click;
      if (view === undefined) return;
      const { account } = limitsState.decode(view.state);
      const ref = await click.authorize({ account });
      const modal = limitsModal(limitsState.encode({ account }), await spendingStore.limits(ref), zone);
      await messengerOf(workspace).pushModal(triggerId, modal);
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
          before: limitsText(await spendingStore.limits(ref)),
          after: limitsText(limits),
        },
      );
      await spendingStore.setLimits(ref, limits, step);
      return { update: limitsSavedModal(limits) };
    },
  };
}
