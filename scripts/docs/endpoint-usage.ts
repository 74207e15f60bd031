/**
 * Where in Slack each endpoint of the marketplace is used, and which flow tests use it. Tests compare this with the code:
 * every command, button, shortcut and job exists, the features call the endpoint, and the sandbox receives the call
 * while the flow tests run.
 */
import type { JobName } from '../../src/jobs/catalogue.ts';
import type { endpoints } from '../../src/marketplace/endpoints.ts';

export interface EndpointUsage {
  /** Folders of src/features that call the endpoint. */
  readonly features: readonly string[];
  readonly commands?: readonly string[];
  /** What people click, choose or submit: its id, and what they see. */
  readonly clicks?: Readonly<Record<string, string>>;
  readonly shortcuts?: readonly string[];
  /** The jobs that call the endpoint, and when. */
  readonly jobs?: Readonly<Partial<Record<JobName, string>>>;
  /** Files of test/flows. */
  readonly flows: readonly string[];
}

const createForm = {
  features: ['create'],
  commands: ['/campaign new'],
  clicks: { 'campaign.new': 'Create a campaign in the home tab' },
  shortcuts: ['new_campaign'],
  flows: ['create.test.ts'],
};

export const endpointUsage: Readonly<Record<keyof typeof endpoints, EndpointUsage>> = {
  createCampaign: createForm,
  listCategories: createForm,
  rateTasks: {
    features: ['decide'],
    clicks: { 'task.revise': 'REVISE on a card', 'task.ok': 'OK', 'task.nok': 'NOK' },
    jobs: { send: 'decisions of one moment leave together' },
    flows: ['review.test.ts'],
  },
  getTaskInfo: {
    features: ['cards', 'decide', 'files'],
    clicks: { 'task.more.files': 'Files in the menu of a card' },
    jobs: { post: 'before a card is posted' },
    flows: ['review.test.ts'],
  },
  listMessages: {
    features: ['polling', 'inbox'],
    commands: ['/inbox', '/inbox unread'],
    clicks: { 'inbox.open': 'Inbox in the home tab' },
    jobs: { poll: 'every look' },
    flows: ['inbox.test.ts'],
  },
  readMessage: {
    features: ['inbox'],
    clicks: { 'inbox.read': 'Read on an announcement or in /inbox' },
    flows: ['review.test.ts', 'inbox.test.ts'],
  },
  listCampaignsExtended: {
    features: ['polling', 'campaigns', 'subscriptions'],
    commands: ['/campaign list', '/campaign status', '/proofdesk subscribe'],
    clicks: {
      'campaign.list': 'Campaigns in the home tab',
      'campaign.filter': 'Filter in the list of campaigns',
    },
    jobs: { poll: 'every look' },
    flows: ['campaigns.test.ts', 'campaign-list.test.ts', 'home.test.ts'],
  },
  submitFileProof: {
    features: ['submit'],
    commands: ['/campaign submit'],
    flows: ['submit.test.ts'],
  },
  campaignResults: {
    features: ['polling', 'campaigns'],
    commands: ['/campaign results'],
    clicks: { 'campaign.results': 'Results of a campaign' },
    jobs: { import: 'when the counts of a campaign change' },
    flows: ['campaigns.test.ts', 'campaign-results.test.ts'],
  },
  rateTask: {
    features: ['decide'],
    clicks: { 'task.ok': 'OK on a card', 'task.nok': 'NOK' },
    jobs: { send: 'a decision that leaves alone' },
    flows: ['review.test.ts'],
  },
  retargetCampaign: {
    features: ['campaigns'],
    commands: ['/campaign retarget'],
    clicks: {
      'campaign.retarget': 'Retarget of a campaign',
      'campaign.retarget.then': 'Do it then on a refusal until a time',
    },
    jobs: { 'retarget-later': 'when that time has come' },
    flows: ['campaigns.test.ts', 'retarget-later.test.ts'],
  },
  restartCampaign: {
    features: ['campaigns'],
    commands: ['/campaign restart'],
    clicks: { 'campaign.restart': 'Restart of a campaign' },
    flows: ['campaigns.test.ts'],
  },
  listExcludedEmployers: {
    features: ['worker-side'],
    commands: ['/proofdesk worker-side'],
    clicks: { 'worker.list.excluded': 'Excluded employers' },
    flows: ['worker-side.test.ts'],
  },
  listIncludedEmployers: {
    features: ['worker-side'],
    commands: ['/proofdesk worker-side'],
    clicks: { 'worker.list.included': 'Included employers' },
    flows: ['worker-side.test.ts'],
  },
  listCampaigns: {
    features: ['accounts'],
    commands: ['/proofdesk connect'],
    clicks: { 'account.connect': 'Connect: the key is tried with it' },
    flows: ['accounts.test.ts'],
  },
  deleteMessage: {
    features: ['inbox'],
    clicks: {
      'inbox.trash': 'Trash on an announcement',
      'inbox.trash.chosen': 'Move chosen to the trash in /inbox',
      'inbox.trash.page': 'Move this page to the trash',
    },
    flows: ['review.test.ts', 'inbox.test.ts'],
  },
  unexcludeWorkers: {
    features: ['workers'],
    commands: ['/proofdesk workers'],
    clicks: {
      'workers.ask.include': 'Remove workers',
      'workers.include': 'Remove',
      'workers.include.chosen': 'Remove chosen',
      'workers.include.all': 'Remove all',
      'workers.one.include': 'Remove from exclude list',
    },
    flows: ['workers.test.ts'],
  },
  excludeEmployers: {
    features: ['worker-side'],
    commands: ['/proofdesk worker-side'],
    clicks: {
      'worker.exclude': 'Exclude employers',
      'worker.exclude.one': 'Exclude beside an included employer',
    },
    flows: ['worker-side.test.ts'],
  },
  excludeWorkers: {
    features: ['workers'],
    commands: ['/proofdesk workers'],
    clicks: {
      'workers.ask.exclude': 'Exclude workers',
      'workers.one.exclude': 'Exclude, also from Worker in the menu of a card',
    },
    flows: ['workers.test.ts'],
  },
  downloadFileProof: {
    features: ['files', 'cards'],
    clicks: { 'task.files.fetch': 'Fetch, under Files in the menu of a card' },
    jobs: { post: 'pictures on a card' },
    flows: ['files.test.ts'],
  },
  workerTasks: {
    features: ['worker-side'],
    commands: ['/proofdesk worker-side'],
    clicks: { 'worker.tasks': 'Your tasks' },
    flows: ['worker-side.test.ts'],
  },
};
