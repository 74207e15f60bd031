import { deadlineOf, finishedAtOf } from '../../domain/deadline.ts';
import { isNear } from '../../domain/second-look/settings.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Click, Feature, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { doneBy } from '../shared/audited-act.ts';
import type { FeatureContext } from '../shared/context.ts';
import { secondLookAction } from '../shared/second-look-button.ts';
import { decidedMessage, differenceMessage } from './difference.view.ts';
import { chosenSettings, secondLookForm, secondLookModal, secondLookState } from './settings.view.ts';

/** Creates second looks but for the decisions: their settings, and what the two learn who differ. */
export function createSecondLook(context: FeatureContext) {
  const { campaigns, claimOnce, jobs, logger, messengerOf, now, secondLooks, tasks } = context;

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

  /** Tells both who differ that they do, or what was decided between them; each is told once. */
  async function tell({ task: id, ...ref }: Payload<'tell-difference'>): Promise<void> {
    const task = await tasks.get(ref, id);
    const look = task?.look ?? task?.decision?.look;
    if (task === undefined || look?.second === undefined) return;
    const result = task.decision?.look;
    const about = result?.third ?? look.second;
    const [campaign, card] = await Promise.all([
      campaigns.get(ref, task.campaign),
      task.card.state === 'posted' ? messengerOf(ref.workspace).permalink(task.card) : undefined,
    ]);
    const shown = { task, title: campaign?.title ?? 'A campaign', card };
    for (const member of [look.first.by, look.second.by])
      await tellOne(ref, member, `second look ${id} ${about.id} ${member}`, () =>
        result?.third ? decidedMessage(shown, result, member) : differenceMessage(shown, look, member),
      );
  }

  async function tellOne(
    { workspace }: AccountRef,
    member: MemberId,
    name: string,
    message: () => ReturnType<typeof differenceMessage>,
  ): Promise<void> {
    if (!(await claimOnce(workspace, name))) return;
    await messengerOf(workspace)
      .direct(member, message())
      .catch((error: unknown) => {
        // The card says it too.
        if (!(error instanceof SlackError)) throw error;
        logger.info({ member, code: error.code }, 'not told of a difference');
      });
  }

  const feature: Feature = {
    clicks: { [secondLookAction]: { needs: 'settings', run: open } },
    submissions: { [secondLookForm]: { needs: 'settings', run: save } },
  };

  return {
    feature,
    jobs: { 'tell-difference': tell },

    /** Lets go what has come near its deadline, since its time to rate became known or shorter, and tells what was not told. */
    async afterPoll(ref: AccountRef): Promise<void> {
      const waiting = await secondLooks.waiting(ref);
      if (waiting.length === 0) return;
      const found = (await tasks.getMany(ref, waiting)).filter(({ look }) => look !== undefined);
      const days = await context.timesToRate.getMany(ref, [...new Set(found.map((task) => task.campaign))]);
      const at = now();
      for (const task of found) {
        const { look } = task;
        if (look === undefined) continue;
        const deadline = deadlineOf(finishedAtOf(task), days.get(task.campaign));
        if (deadline !== undefined && isNear(at, deadline)) await letGo(ref, task.id, look.first.id, at);
        else if (look.second)
          await jobs.add(
            'tell-difference',
            { ...ref, task: task.id },
            { uniqueKey: `${ref.account} ${task.id} ${look.second.id}` },
          );
      }
    },
  };

  async function letGo(ref: AccountRef, task: Payload<'tell-difference'>['task'], first: string, at: number) {
    await tasks.apply(ref, task, { type: 'look-let-go', first, at, isNearDeadline: true });
    await context.cardUpdateLine.changed(ref, [task]);
    await jobs.add('send', ref);
  }
}
