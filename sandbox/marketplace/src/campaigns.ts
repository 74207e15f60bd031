import { Refusal, refuseInput, success } from './answers.ts';
import { formatDatetime } from './datetime.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { createChecks, ownCampaign, ownCampaigns, within } from './endpoint.ts';
import type { Campaign } from './model.ts';
import { countsAsOf, moveCampaign } from './model.ts';
import { formatMoney } from './money.ts';
import { resultsCsv } from './results-csv.ts';
import { readInteger, readTargeting, retargetError } from './rules.ts';
import { campaignStatuses } from './terms.ts';

/** "Campaign summary". */
function summary(campaign: Campaign, counts: Campaign['counts']): Record<string, unknown> {
  return {
    campaign_id: campaign.campaign_id,
    campaign_status: campaign.campaign_status,
    title: campaign.title,
    required_work: campaign.required_work,
    required_proof: campaign.required_proof.join('\n'),
    available_positions: String(campaign.available_positions),
    created_datetime9: formatDatetime(campaign.created),
    excluded_countries: campaign.excluded_countries.join(','),
    targeted_countries: campaign.targeted_countries.join(',') || campaign.zone,
    payment_per_task: formatMoney(campaign.payment_per_task),
    speed: String(campaign.speed),
    qt_required: campaign.qt_required,
    status: 'SUCCESS',
    tasks_ok: String(counts.OK),
    tasks_nok: String(counts.NOK),
    tasks_not_rated: String(counts.NOTRATED),
    tasks_not_reviewed: String(counts.NOTREVIEWED),
  };
}

/** Returns the counts for an answer: the stored ones, unless the answer shows an earlier moment. */
function countsOf(campaign: Campaign, { now, asOf }: Pick<Call, 'now' | 'asOf'>): Campaign['counts'] {
  return asOf < now ? countsAsOf(campaign, asOf) : campaign.counts;
}

/** Section 2. */
const categoriesList: Endpoint = {
  method: 'GET',
  path: '/campaign_b/categories_list',
  handle({ world }) {
    if (world.categories.length === 0) throw new Refusal('NO CATEGORIES');
    return success({
      count: world.categories.length,
      parent_categories: world.categories.map((parent) => ({
        title: parent.title,
        categories: parent.categories.map((category) => ({
          id: category.id,
          title: category.title,
          min_payment_per_task: category.min_payment_per_task.map(({ payment_per_task, zone }) => ({
            payment_per_task: formatMoney(payment_per_task),
            zone,
          })),
        })),
      })),
    });
  },
};

/** Section 7. */
const listExtend: Endpoint = {
  method: 'GET',
  path: '/campaigns_b/list_extend',
  handle(call) {
    const checks = createChecks(call.query);
    const status = checks.choice('status', campaignStatuses, 'Status');
    const asked = checks.choice('folder', ['DEFAULT', 'ARCHIVE'], 'Folder');
    const folder = asked ?? (call.settings.noFolderMeans === 'DEFAULT' ? 'DEFAULT' : undefined);
    const createdFrom = checks.datetime('created_from', 'Created From');
    const createdTo = checks.datetime('created_to', 'Created To');
    const restartedFrom = checks.datetime('restarted_from', 'Restarted From');
    const restartedTo = checks.datetime('restarted_to', 'Restarted To');
    const finishedFrom = checks.datetime('finished_from', 'Finished From');
    const finishedTo = checks.datetime('finished_to', 'Finished To');
    refuseInput(checks.errors);
    const found = ownCampaigns(call).filter(
      (campaign) =>
        (status === undefined || campaign.campaign_status === status) &&
        (folder === undefined || campaign.folder === folder) &&
        within(campaign.created, createdFrom, createdTo) &&
        within(campaign.restarted, restartedFrom, restartedTo) &&
        within(campaign.finished, finishedFrom, finishedTo),
    );
    if (found.length === 0) throw new Refusal('NO CAMPAIGNS');
    return success({
      count: found.length,
      campaigns: found.map((campaign) => summary(campaign, countsOf(campaign, call))),
    });
  },
};

/** Section 15. */
const list: Endpoint = {
  method: 'GET',
  path: '/campaigns_b/list',
  handle(call) {
    const found = ownCampaigns(call);
    if (found.length === 0) throw new Refusal('NO CAMPAIGNS');
    return success({
      count: found.length,
      campaigns: found.map(({ campaign_id, title, campaign_status }) => [
        campaign_id,
        title,
        campaign_status,
      ]),
    });
  },
};

/** Section 9. */
const results: Endpoint = {
  method: 'GET',
  path: '/campaign_hg/results_csv/:id',
  handle(call) {
    const campaign = ownCampaign(call);
    return success({ campaign_id: campaign.campaign_id, csv: resultsCsv(campaign, call) });
  },
};

/** Section 11. */
const retarget: Endpoint = {
  method: 'PUT',
  path: '/campaign_b/retarget/:id',
  handle(call) {
    const campaign = ownCampaign(call);
    const countries = call.form.all('countries[]').filter((entry) => entry !== '');
    const targeting = readTargeting(countries, call.settings.excludeMark);
    const error = retargetError(campaign, targeting, {
      now: call.now,
      waitSeconds: call.settings.retargetWaitSeconds,
      timestamp: call.settings.retargetTimestamp,
    });
    if (error !== undefined) throw new Refusal(error, { campaign_id: call.id });
    campaign.targeted_countries = targeting.includes;
    campaign.excluded_countries = targeting.excludes;
    campaign.retargeted = call.now;
    return success({ campaign_id: campaign.campaign_id, retargeted: countries });
  },
};

/** Section 12. The texts of its errors_list are not in the API text; these follow those of worker/b_tasks. */
const restart: Endpoint = {
  method: 'PUT',
  path: '/campaign_b/restart_campaign/:id',
  handle(call) {
    const campaign = ownCampaign(call);
    const context = { campaign_id: call.id };
    const positions = readInteger(call.form.one('positions'));
    if (positions === undefined) refuseInput(['Positions is invalid'], context);
    else if (positions < 1) refuseInput(['Positions must be bigger than zero'], context);
    if (campaign.campaign_status !== 'FINISHED') {
      const errors_list = [`Campaign status is ${campaign.campaign_status}`];
      throw new Refusal('CAMPAIGN NOT FINISHED', { ...context, errors_list });
    }
    const added = positions ?? 0;
    campaign.available_positions += added;
    campaign.restarted = call.now;
    moveCampaign(campaign, 'PENDING_RESTART', call.now, true);
    return success({ ...context, positions_added: String(added) });
  },
};

export const campaignEndpoints: readonly Endpoint[] = [
  categoriesList,
  listExtend,
  list,
  results,
  retarget,
  restart,
];
