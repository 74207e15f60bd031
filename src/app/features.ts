import type { AccountRef } from '../domain/terms.ts';
import { createAssignmentsFeature } from '../features/assignments/index.ts';
import { createBriefFaults } from '../features/brief-faults/index.ts';
import { createBulk } from '../features/bulk/index.ts';
import { createCampaignNoticesFeature } from '../features/campaign-notices/index.ts';
import { createCampaigns } from '../features/campaigns/index.ts';
import { cell, idCell } from '../features/campaigns/results-file.ts';
import { createCards } from '../features/cards/index.ts';
import { createCardModals } from '../features/cards/modals.ts';
import { createChannels } from '../features/channels/index.ts';
import { createSubscriptionsFeature } from '../features/channels/subscriptions.ts';
import { createDaily } from '../features/daily/index.ts';
import { createDeadlinesFeature } from '../features/deadlines/index.ts';
import { createDecide } from '../features/decide/index.ts';
import { createSend } from '../features/decide/send.ts';
import { createDesk } from '../features/desk/index.ts';
import { createEvidenceFeature } from '../features/evidence/index.ts';
import { createFiles } from '../features/files/index.ts';
import { createFind } from '../features/find/index.ts';
import { createFocus } from '../features/focus/index.ts';
import { createHome } from '../features/home/index.ts';
import { createInbox } from '../features/inbox/index.ts';
import { createNotesFeature } from '../features/notes/index.ts';
import { createAuditFeature } from '../features/ops/audit.ts';
import { createDepartures } from '../features/ops/departures.ts';
import { createDeadLetters } from '../features/ops/failed-jobs.ts';
import { createRetention } from '../features/ops/retention.ts';
import { createAccountsFeature } from '../features/people/accounts.ts';
import { createApprovalsFeature } from '../features/people/approvals.ts';
import { createRoles } from '../features/people/roles.ts';
import { createPolling } from '../features/polling/index.ts';
import { createQueue } from '../features/queue/index.ts';
import { createReasonsFeature } from '../features/reasons/index.ts';
import { createRedraw, createRequeue } from '../features/reconcile/requeue.ts';
import { createWorkerSide } from '../features/worker-side/index.ts';
import { createWorkersFeature } from '../features/workers/index.ts';
import type { JobHandlers } from '../jobs/queue.ts';
import { createShow } from '../kit/live-message.ts';
import { createModules, type ModuleParts, type Modules } from '../kit/modules.ts';
import type { Feature } from '../slack/feature.ts';
import { commandTable, help } from '../slack/listeners.ts';
import { removeUnreadable } from '../store/stored-hash.ts';
import { explain } from './explain-error.ts';

const dayMs = 86_400_000;

/** Creates all features and the handlers of their jobs. */
export function createFeatures(parts: ModuleParts) {
  const context = createModules(parts);
  // Jobs' calls to the marketplace wait while it fails; calls that people wait for are made anyway.
  const jobContext: Modules = {
    ...context,
    marketplace: { ...context.marketplace, of: context.marketplace.forJob },
  };
  const campaignNotices = createCampaignNoticesFeature(jobContext);
  const campaigns = createCampaigns(context);
  const cards = createCards(jobContext);
  const cardModals = createCardModals(context);
  const assignments = createAssignmentsFeature({
    ...context,
    detailsOf: cardModals.detailsOf,
    reminderPaceMs: parts.intervals.reminderPaceMs,
  });
  const decide = createDecide(context);
  const files = createFiles(context);
  const notes = createNotesFeature({ ...context, explain });
  const evidence = createEvidenceFeature(context);
  const find = createFind(context);
  const briefFaults = createBriefFaults(context);
  const workers = createWorkersFeature(context);
  const focus = createFocus({
    ...context,
    decisions: decide.decisions,
    forms: decide.forms,
    notesModal: notes.modalOf,
    showFiles: files.showIn,
    workerModal: workers.modalOf,
  });
  const bulk = createBulk({ ...context, decisions: decide.decisions });
  const send = createSend(jobContext);
  const inbox = createInbox(context);
  const queue = createQueue({ ...context, queuePaceMs: parts.intervals.queuePaceMs });
  const channels = createChannels(context);
  const deadlines = createDeadlinesFeature({ ...context, reminderPaceMs: parts.intervals.reminderPaceMs });
  const daily = createDaily(context);
  const audit = createAuditFeature({
    ...context,
    cells: { cell, idCell },
    auditDays: parts.config.auditDays,
  });
  const retention = createRetention({
    ...context,
    retentionMs: parts.config.retentionDays * dayMs,
    everyMs: parts.intervals.retentionMs,
    removeUnreadable: (before) => removeUnreadable(parts.redis, before),
  });
  const approvals = createApprovalsFeature({
    ...context,
    acts: { ...campaigns.approved, bonus: decide.approved },
  });
  const roles = createRoles(context);
  const home = createHome({
    ...context,
    decisions: decide.decisions,
    help: () => help(commandTable(features)),
  });

  const shows = createShow(context, {
    announcement: inbox.message,
    waiting: queue.message,
    due: deadlines.message,
    daily: daily.message,
    campaignNotice: campaignNotices.message,
    assigned: assignments.message,
    bulk: bulk.message,
    approval: approvals.message,
    roleRequest: roles.message,
  });
  const polling = createPolling({
    ...jobContext,
    takeInStatuses: campaignNotices.takeIn,
    requeue: createRequeue({ ...context, shows }),
    redrawAfterRestart: createRedraw(context),
    followers: [
      queue,
      channels,
      approvals,
      bulk,
      deadlines,
      daily,
      campaignNotices,
      home,
      assignments,
      evidence,
      find,
      briefFaults,
    ],
  });
  const startPolling = (ref: AccountRef) => polling.startPolling(ref, context.marketplace.pollSeconds);

  const features: Feature[] = [
    ...campaigns.features,
    createSubscriptionsFeature({ ...context, startPolling, watch: channels }),
    channels.feature,
    createAccountsFeature({ ...context, pendingActions: decide, onAccountChange: home.refresh }),
    cards.feature,
    cardModals.feature,
    assignments.feature,
    decide.feature,
    focus,
    notes.feature,
    evidence.feature,
    find.feature,
    briefFaults.feature,
    bulk.feature,
    inbox.feature,
    createReasonsFeature(context),
    workers.feature,
    createWorkerSide(context),
    files.feature,
    queue.feature,
    deadlines.feature,
    roles.feature,
    approvals.feature,
    createDeadLetters(context),
    audit.feature,
    createDepartures(context),
    createDesk(context),
    home.feature,
  ];
  const handlers: JobHandlers = {
    ...polling.jobs,
    ...shows.jobs,
    ...cards.jobs,
    ...send.jobs,
    ...bulk.jobs,
    ...queue.jobs,
    ...assignments.jobs,
    ...approvals.jobs,
    ...roles.jobs,
    ...channels.jobs,
    ...home.jobs,
    ...notes.jobs,
    ...evidence.jobs,
    ...find.jobs,
    ...audit.jobs,
    ...retention.jobs,
  };
  return {
    context,
    features,
    handlers,
    startPolling,
    approvals,
    audit,
    retention,
    explain,
    deskActs: {
      ...context,
      decisions: decide.decisions,
      forms: decide.forms,
      assigning: assignments,
      leaveNote: notes.leave,
    },
  };
}
