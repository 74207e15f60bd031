import { Forbidden } from '../../domain/permissions.ts';
import { isOpen } from '../../domain/task.ts';
import type { Verdict } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Modules } from '../../kit/modules.ts';
import { cardOf } from '../../kit/on.ts';
import type { Click } from '../../slack/feature.ts';
import { link } from '../../slack/mrkdwn.ts';
import { isWorkspaceError, SlackError } from '../../slack/slack-error.ts';
import { lateAnswer } from './decide.view.ts';

/** Creates the answers to clicks that came while Slack did not answer: they are given once it does. */
export function createLateAnswers({ campaigns, jobs, slack, tasks }: Modules) {
  async function tell({ task: id, member, verdict, outcome, ...ref }: Payload<'tell-click'>): Promise<void> {
    const task = await tasks.get(ref, id);
    if (task === undefined || (outcome === 'not opened' && !isOpen(task))) return;
    const messenger = slack.messengerOf(ref.workspace);
    const address = await slack.cards.linkTo(ref, task);
    const title = await campaigns.titleOf(ref, task.campaign);
    const card = address && link(address, 'its card');
    try {
      await messenger.direct(member, lateAnswer({ verdict, outcome, title, card }));
    } catch (error) {
      const isUnreachable =
        error instanceof SlackError && error.kind === 'refused' && !isWorkspaceError(error);
      // The card says it too.
      if (!isUnreachable) throw error;
    }
  }

  return {
    jobs: { 'tell-click': tell },

    /** Opens a form for a click on a card. If Slack does not answer, the person is told so once it does. */
    async orLater(click: Click, verdict: Verdict, open: () => Promise<void>): Promise<void> {
      try {
        await open();
      } catch (error) {
        if (!isSlackAway(error)) throw error;
        const { account, task } = cardOf(click);
        const { member, workspace } = click;
        const payload = { workspace, account, task, member, verdict } as const;
        const uniqueKey = `${account} ${task} ${member}`;
        await jobs.add('tell-click', { ...payload, outcome: 'not opened' }, { uniqueKey });
      }
    },
  };
}

function isSlackAway(error: unknown): boolean {
  if (error instanceof Forbidden) return error.refused.refusal === 'unchecked';
  return error instanceof SlackError && error.kind !== 'refused';
}
