import { deadlineOf, finishedAtOf } from '../../domain/deadline.ts';
import { isNear } from '../../domain/second-look/settings.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Click, Feature, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { doneBy } from '../shared/audited-act.ts';
import type { FeatureContext } from '../shared/context.ts';
import { secondLookAction } from '../shared/second-look-button.ts';
import { queueTelling } from '../shared/second-look-news.ts';
import { chosenSettings, secondLookForm, secondLookModal, secondLookState } from './settings.view.ts';
import { createTellDifference } from './tell.ts';

/** Creates the second looks except for their decisions: the settings, and the notices to reviewers who differ. */
export function createSecondLook(context: FeatureContext) {
  const { campaigns, jobs, messengerOf, now, secondLooks, tasks } = context;

  async function open(click: Click): Promise<void> {
    const { view, workspace, triggerId } = click;
    if (view === undefined) return;
    const { account } = secondLookState.decode(view.state);
    const ref = await click.authorize({ account });
    const [stored, listed] = await Promise.all([secondLooks.allSettings(ref), campaigns.all(ref)]);
    const shown = listed
      .filter(({ id, status }) => status !== 'FINISHED' || stored.campaigns.has(id))
      .map(({ id, title }) => ({ id, title, own: stored.campaigns.get(id) }));
    const form = secondLookModal(secondLookState.encode({ account }), stored.account, shown);
    await messengerOf(workspace).pushModal(triggerId, form);
  }

  async function save(submission: Submission): Promise<SubmissionAnswer | undefined> {
    const { account } = secondLookState.decode(submission.state);
    const ref = await submission.authorize({ account });
    const made = chosenSettings(submission.values);
    if ('errors' in made) return made;
    await secondLooks.setSettings(ref, made.campaign, made.settings, doneBy(submission));
    return undefined;
  }

  const feature: Feature = {
    clicks: { [secondLookAction]: { needs: 'settings', run: open } },
    submissions: { [secondLookForm]: { needs: 'settings', run: save } },
  };

  return {
    feature,
    jobs: { 'tell-difference': createTellDifference(context).tell },

    /** Lets decisions go close to a deadline that became known or earlier, and sends missing notices. */
    async afterPoll(ref: AccountRef): Promise<void> {
      const { tasks: waiting, untold } = await secondLooks.waiting(ref);
      for (const { task, verdict } of untold) await queueTelling(jobs, ref, task, verdict);
      if (waiting.length === 0) return;
      const found = (await tasks.getMany(ref, waiting)).filter(({ look }) => look !== undefined);
      const days = await context.timesToRate.getMany(ref, [...new Set(found.map((task) => task.campaign))]);
      const at = now();
      for (const task of found) {
        const { look } = task;
        if (look === undefined) continue;
        const deadline = deadlineOf(finishedAtOf(task), days.get(task.campaign));
        if (deadline !== undefined && isNear(at, deadline)) await letGo(ref, task, look.first.id, at);
      }
    },
  };

  async function letGo(ref: AccountRef, task: Task, first: string, at: number) {
    await tasks.apply(ref, task.id, { type: 'look-let-go', first, at, isNearDeadline: true });
    await context.faults('second look: let go, not queued');
    await context.cardUpdateLine.changed(ref, [task]);
    await jobs.add('send', ref);
  }
}
