import type { AccountRef } from '../../domain/terms.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import { workersAtFault } from '../../store/reasons.ts';
import { askedOfTask } from '../shared/brief.ts';
import { casesAction, casesValue } from '../shared/brief-fault.ts';
import type { FeatureContext } from '../shared/context.ts';
import { casesModal } from './cases.view.ts';

type Deps = Pick<
  FeatureContext,
  | 'briefs'
  | 'campaignNotices'
  | 'campaigns'
  | 'channelSettings'
  | 'jobs'
  | 'messengerOf'
  | 'now'
  | 'reasons'
  | 'refusals'
  | 'routing'
  | 'tasks'
>;

/**
 * Creates the notice, posted once, that a campaign's instructions may be at fault: several workers were refused for one
 * reason.
 */
export function createBriefFaults(deps: Deps) {
  const { campaignNotices, campaigns, jobs, messengerOf, now, reasons, refusals, routing, tasks } = deps;

  /**
   * Notifies the channels of campaigns that have newly reached the threshold. A repeat after a crash notifies nobody
   * twice, unless the channel's next notice has begun in between.
   */
  async function tell(ref: AccountRef): Promise<void> {
    for (const refused of await refusals.due(ref)) {
      const channel = await routing.forCampaign(ref, refused.campaign);
      if (channel === undefined) continue;
      const workers = (await refusals.tasks(ref, refused)).length;
      const { muted } = await deps.channelSettings.get(ref.workspace, channel);
      if (workers >= workersAtFault && !muted.includes('campaigns')) {
        const fault = { ...refused, workers, at: now() };
        const { changed } = await campaignNotices.apply(ref, channel, { type: 'at-fault', channel, fault });
        if (changed)
          await jobs.add('campaign-notice', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
      }
      await refusals.told(ref, refused);
    }
  }

  async function openCases(click: Click): Promise<void> {
    const { account, campaign, reason } = casesValue.decode(click.value);
    const ref = await click.authorize({ account });
    const stored = await tasks.getMany(ref, await refusals.tasks(ref, { campaign, reason }));
    const records = stored.filter(({ detailsRemovedAt }) => detailsRemovedAt === undefined);
    const messenger = messengerOf(click.workspace);
    const cases = await Promise.all(
      records.map(async (task) => {
        const card = task.card.state === 'posted' ? await messenger.permalink(task.card) : undefined;
        return { task, ...(card === undefined ? {} : { card }) };
      }),
    );
    const [first] = records;
    const view = casesModal({
      campaignTitle: (await campaigns.get(ref, campaign))?.title ?? 'A campaign',
      reason: (await reasons.get(ref, reason))?.name ?? 'a reason that was removed',
      asked: first && (await askedOfTask(deps, ref, first)),
      cases,
    });
    await messenger.openModal(click.triggerId, view);
  }

  const feature: Feature = { clicks: { [casesAction]: { needs: 'see', run: openCases } } };
  return { feature, afterPoll: tell };
}
