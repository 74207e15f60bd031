/**
 * Where each endpoint of the marketplace is used, and the flow test that shows it. Everything but `where` is checked: this
 * table's unit test finds each id among those of the features, and each flow test fails at its end unless the bot called
 * the endpoint for exactly that command, button, form or job, and a person pressed an element with that label
 * (test/harness/endpoint-usage-check.ts).
 */
import type { JobName } from '../../src/jobs/catalogue.ts';
import type { endpoints } from '../../src/marketplace/endpoints.ts';

export interface Source {
  readonly kind: 'command' | 'button' | 'menu' | 'form' | 'job';
  /** The command with its subcommand, the id of the pressed or submitted element, or the name of the job. */
  readonly id: string;
  /** The label of the pressed element. */
  readonly label?: string;
  /** Where the element is, or when the job runs. */
  readonly where: string;
  /** The flow tests that show it, without `.test.ts`. */
  readonly flows: readonly string[];
}

export interface EndpointUsage {
  /** Folders of src/features that call the endpoint. */
  readonly features: readonly string[];
  readonly sources: readonly Source[];
}

const command = (id: string, ...flows: string[]): Source => ({ kind: 'command', id, where: '', flows });
const job = (id: JobName, where: string, ...flows: string[]): Source => ({ kind: 'job', id, where, flows });
const pressed =
  (kind: 'button' | 'menu' | 'form') =>
  (id: string, label: string, where: string, ...flows: string[]): Source => ({
    kind,
    id,
    label,
    where,
    flows,
  });
const button = pressed('button');
const menu = pressed('menu');
const form = pressed('form');

export const endpointUsages: Readonly<Record<keyof typeof endpoints, EndpointUsage>> = {
  createCampaign: {
    features: ['campaigns'],
    sources: [button('campaign.create.confirm', 'Create for 15.00', 'last page of a new campaign', 'create')],
  },
  listCategories: {
    features: ['campaigns'],
    sources: [
      command('/campaign new', 'create'),
      button('campaign.new', 'Create a campaign', 'home tab', 'home'),
    ],
  },
  rateTasks: {
    features: ['decide'],
    sources: [job('send', 'several decisions at once, and every REVISE', 'review', 'decisions')],
  },
  getTaskInfo: {
    features: ['cards', 'decide'],
    sources: [
      job('post-cards', 'before a card is posted', 'review'),
      job('send', 'to find out whether a rating arrived', 'decisions'),
      menu('task.more.files', 'Files…', 'menu of a card', 'files'),
    ],
  },
  listMessages: {
    features: ['polling', 'inbox'],
    sources: [
      job('poll', 'every POLL_SECONDS', 'inbox'),
      command('/inbox', 'inbox'),
      command('/inbox unread', 'inbox'),
      button('inbox.open', 'Inbox', 'home tab', 'home'),
      button('inbox.page.next', 'Next', '/inbox', 'inbox'),
    ],
  },
  readMessage: {
    features: ['inbox'],
    sources: [button('inbox.read', 'Read', 'an announcement, and /inbox', 'inbox')],
  },
  listCampaignsExtended: {
    features: ['polling', 'campaigns'],
    sources: [
      job('poll', 'every POLL_SECONDS', 'campaigns'),
      command('/campaign list', 'campaigns', 'campaign-list'),
      command('/campaign status', 'campaigns'),
      command('/proofdesk subscribe', 'subscriptions'),
      button('campaign.list', 'All campaigns', 'home tab', 'home'),
      button('campaign.page.next', 'Next', '/campaign list', 'campaign-list'),
    ],
  },
  submitFileProof: {
    features: ['campaigns'],
    sources: [form('campaign.submit', 'Submit', '/campaign submit', 'submit')],
  },
  campaignResults: {
    features: ['polling', 'campaigns'],
    sources: [
      job('import', 'when the counts of a campaign change', 'review'),
      command('/campaign results', 'campaign-results'),
      button('campaign.results', 'Results', '/campaign status', 'campaign-results'),
    ],
  },
  rateTask: {
    features: ['decide'],
    sources: [job('send', 'one OK or NOK by itself', 'review', 'decisions')],
  },
  retargetCampaign: {
    features: ['campaigns'],
    sources: [
      command('/campaign retarget', 'campaigns'),
      form('campaign.retarget', 'Change', 'form of /campaign retarget', 'campaigns'),
    ],
  },
  restartCampaign: {
    features: ['campaigns'],
    sources: [
      button('campaign.restart.confirm', 'Add 10 for 2.50', 'form of /campaign restart', 'campaigns'),
    ],
  },
  listExcludedEmployers: {
    features: ['worker-side'],
    sources: [
      button('worker.list.excluded', 'Excluded employers', '/proofdesk worker-side', 'worker-side'),
      form('worker.form', 'Exclude', 'after employers were excluded', 'worker-side'),
    ],
  },
  listIncludedEmployers: {
    features: ['worker-side'],
    sources: [button('worker.list.included', 'Included employers', '/proofdesk worker-side', 'worker-side')],
  },
  listCampaigns: {
    features: ['people'],
    sources: [form('account.connect', 'Connect', 'to try the key', 'accounts')],
  },
  deleteMessage: {
    features: ['inbox'],
    sources: [button('inbox.trash', 'Move to trash', 'an announcement, or a message that is read', 'inbox')],
  },
  unexcludeWorkers: {
    features: ['workers'],
    sources: [
      button('workers.include', 'Remove', '/proofdesk workers', 'workers'),
      button('workers.include.all', 'Remove all', '/proofdesk workers', 'workers'),
      button('workers.one.include', 'Remove from exclude list', 'Worker in the menu of a card', 'workers'),
    ],
  },
  excludeEmployers: {
    features: ['worker-side'],
    sources: [form('worker.form', 'Exclude', 'form of /proofdesk worker-side', 'worker-side')],
  },
  excludeWorkers: {
    features: ['workers'],
    sources: [button('workers.one.exclude', 'Exclude worker', 'Worker in the menu of a card', 'workers')],
  },
  downloadFileProof: {
    features: ['files', 'cards'],
    sources: [
      job('post-cards', 'pictures on a card', 'files'),
      button('task.files', 'Open file…', 'card', 'brief'),
      button('task.files.fetch', 'Post in thread', 'Files in the menu of a card', 'files'),
    ],
  },
  workerTasks: {
    features: ['worker-side'],
    sources: [
      command('/proofdesk worker-side', 'worker-side'),
      button('worker.tasks', 'Your tasks', '/proofdesk worker-side', 'worker-side'),
      button('worker.page.next', 'Next', '/proofdesk worker-side', 'worker-side'),
    ],
  },
};
