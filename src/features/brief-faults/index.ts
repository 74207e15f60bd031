import type { BriefFault } from '../../domain/campaign-notice.ts';
import { isDiffering, sayBriefAtFault } from '../../domain/second-look/figures.ts';
import type { SecondLookOutcome } from '../../domain/second-look/outcome.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import { differingLooksReason, type Refused, workersAtFault } from '../../store/refusals.ts';
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
  | 'secondLooks'
  | 'tasks'
>;

/** Maximum age of the second looks counted (ms), because instructions may have been changed since. */
const looksMs = 14 * 86_400_000;

/**
 * Creates the notice, posted once, that a campaign's instructions may be at fault: several workers were refused for one
 * reason, or second looks differ.
 */
export function createBriefFaults(deps: Deps) {
  const { campaignNotices, campaigns, jobs, messengerOf, now, reasons, refusals, routing, tasks } = deps;

  async function looksOn(ref: AccountRef, campaign: CampaignId): Promise<SecondLookOutcome[]> {
    const outcomes = await deps.secondLooks.list(ref, now(), now() - looksMs);
    return outcomes.filter((one) => one.campaign === campaign);
  }

  /** Returns the fault to report; undefined while there are too few cases. */
  async function faultIn(ref: AccountRef, refused: Refused): Promise<BriefFault | undefined> {
    const fault = { ...refused, at: now() };
    if (refused.reason !== differingLooksReason) {
      const workers = (await refusals.tasks(ref, refused)).length;
      return workers >= workersAtFault ? { ...fault, workers } : undefined;
    }
    const outcomes = await looksOn(ref, refused.campaign);
    if (!sayBriefAtFault(outcomes)) return undefined;
    const differing = outcomes.filter(isDiffering);
    const found = await tasks.getMany(
      ref,
      differing.map(({ task }) => task),
    );
    const workers = new Set(found.map(({ worker }) => worker.id)).size;
    return { ...fault, workers, looks: { differing: differing.length, of: outcomes.length } };
  }

  /**
   * Notifies the channels of campaigns that have newly reached the threshold. A repeat after a crash notifies nobody
   * twice, unless the channel's next notice has begun in between.
   */
  async function tell(ref: AccountRef): Promise<void> {
    for (const refused of await refusals.due(ref)) {
      const { campaign } = refused;
      const channel = await routing.forCampaign(ref, campaign);
      if (channel === undefined) continue;
      let fault = await faultIn(ref, refused);
      if (fault === undefined && refused.reason === differingLooksReason) {
        // A refusal in between is found by the second check, or by the next poll.
        await refusals.notYet(ref, refused);
        fault = await faultIn(ref, refused);
        if (fault === undefined) continue;
        await refusals.again(ref, refused);
      }
      const { muted } = await deps.channelSettings.get(ref.workspace, channel);
      if (fault !== undefined && !muted.includes('campaigns')) {
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
    const looks = reason === differingLooksReason ? await looksOn(ref, campaign) : [];
    const differing = new Map(looks.filter(isDiffering).map((outcome) => [outcome.task, outcome]));
    const ids =
      reason === differingLooksReason
        ? [...differing.keys()]
        : await refusals.tasks(ref, { campaign, reason });
    const stored = await tasks.withRecords(ref, ids);
    const records = stored.filter(({ detailsRemovedAt }) => detailsRemovedAt === undefined);
    const messenger = messengerOf(click.workspace);
    const cases = await Promise.all(
      records.map(async (task) => {
        const card = task.card.state === 'posted' ? await messenger.permalink(task.card) : undefined;
        const look = differing.get(task.id);
        return { task, ...(card === undefined ? {} : { card }), ...(look ? { look } : {}) };
      }),
    );
    const [first] = records;
    const view = casesModal({
      campaignTitle: (await campaigns.get(ref, campaign))?.title ?? 'A campaign',
      fault:
        reason === differingLooksReason
          ? { differing: differing.size, of: looks.length }
          : { reason: (await reasons.get(ref, reason))?.name ?? 'a reason that was removed' },
      asked: first && (await askedOfTask(deps, ref, first)),
      cases,
    });
    await messenger.openModal(click.triggerId, view);
  }

  const feature: Feature = { clicks: { [casesAction]: { needs: 'see', run: openCases } } };
  return { feature, afterPoll: tell };
}
