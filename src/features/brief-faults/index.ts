import type { AccountRef } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton } from '../../kit/on.ts';
import type { Feature } from '../../slack/feature.ts';
import { workersAtFault } from '../../store/reasons.ts';
import { deletedReason } from '../../ui/worker.view.ts';
import { casesModal } from './cases.view.ts';
import { casesValue } from './public.ts';

/**
 * Creates the notice, posted once, that a campaign's instructions may be at fault: several workers were refused for one
 * reason.
 */
export function createBriefFaults(deps: Modules) {
  const { slack, campaigns, clock, channels, tasks } = deps;

  /**
   * Notifies the channels of campaigns that have newly reached the threshold. A repeat after a crash notifies nobody
   * twice, unless the channel's next notice has begun in between.
   */
  async function tell(ref: AccountRef): Promise<void> {
    for (const refused of await campaigns.refusals.due(ref)) {
      const channel = await channels.routing.forCampaign(ref, refused.campaign);
      if (channel === undefined) continue;
      const workers = (await campaigns.refusals.tasks(ref, refused)).length;
      const { muted } = await deps.channels.settings.get(ref.workspace, channel);
      if (workers >= workersAtFault && !muted.includes('campaigns')) {
        const fault = { ...refused, workers, at: clock.now() };
        await slack.messages.campaignNotice.apply(ref, channel, {
          type: 'at-fault',
          channel,
          fault,
        });
      }
      await campaigns.refusals.told(ref, refused);
    }
  }

  const openCases = onButton(casesValue, 'see', async ({ ref, value: { campaign, reason }, open }) => {
    const stored = await tasks.getMany(ref, await campaigns.refusals.tasks(ref, { campaign, reason }));
    const records = stored.filter(({ detailsRemovedAt }) => detailsRemovedAt === undefined);
    const cases = await Promise.all(
      records.map(async (task) => {
        const card = await slack.cards.linkTo(ref, task);
        return { task, ...(card === undefined ? {} : { card }) };
      }),
    );
    const [first] = records;
    const view = casesModal({
      campaignTitle: await campaigns.titleOf(ref, campaign),
      reason: (await campaigns.reasons.get(ref, reason))?.name ?? deletedReason,
      asked: first && (await askedOfTask(deps, ref, first)),
      cases,
    });
    await open(view);
  });

  const feature: Feature = { clicks: { 'brief.cases': openCases } };
  return { feature, afterPoll: tell };
}
