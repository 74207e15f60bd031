import { newCampaign } from '@proofdesk/marketplace-sandbox/testing';
import type { endpoints } from '../../src/marketplace/endpoints.ts';
import type { Values } from '../harness/openapi.ts';

const png = () => new File([Buffer.from('89504e470d0a1a0a', 'hex')], 'Foto – ä.png', { type: 'image/png' });
/** What the cases need to know of the world. */
export interface Known {
  readonly task: string;
  readonly other: string;
  readonly broken: string;
  readonly message: string;
  readonly worker: { id: string; ip: string };
  readonly employer: string;
}

export type Case = readonly [
  operation: keyof typeof endpoints,
  outcome: string,
  values?: Values | ((known: Known) => Values),
  key?: string,
];

export const employer = 'employer-demo-key';
export const worker = 'worker-demo-key';
const none = { campaign_id: 'nope' };
const rates = (tasks: string[], ratings: string[], comments?: string[]) => ({
  campaign_id: 'c1',
  ...{ 'id_task[]': tasks, 'rating[]': ratings, ...(comments && { 'comment[]': comments }) },
});
const proofOf = ({ worker: { id, ip } }: Known) => ({ campaign_id: 'c1', user_id: id, ip, proof: 'done' });

/** Each operation with success, and refused in the ways that can be had by asking. */
export const cases: readonly Case[] = [
  ['createCampaign', 'SUCCESS', { ...newCampaign, file: png() }],
  ['createCampaign', 'POSITIONS, AUTO RATE', { ...newCampaign, available_positions: '0', auto_rate: 'X' }],
  ['createCampaign', 'API NOT ENABLED', newCampaign, worker],
  ['listCategories', 'SUCCESS'],
  ['rateTasks', 'SUCCESS', ({ task }) => rates([task], ['REVISE'], ['Sharper'])],
  [
    'rateTasks',
    'SUCCESS',
    ({ task, other }) => ({
      ...rates([task, other, other], ['NOK', 'OK', 'OK'], ['', '', '']),
      'bonus[]': ['0.05', '90', '90'],
    }),
  ],
  ['rateTasks', 'INPUT DATA', ({ task }) => rates([task], ['OK', 'OK'])],
  ['rateTasks', 'NO SUCH CAMPAIGN', ({ task }) => ({ ...rates([task], ['OK'], ['']), ...none })],
  ['getTaskInfo', 'SUCCESS', ({ task }) => ({ task_id: task })],
  ['getTaskInfo', 'SUCCESS', ({ broken }) => ({ task_id: broken })],
  ['getTaskInfo', 'NO SUCH TASK', { task_id: 'nope' }],
  ['getTaskInfo', 'NOT A CAMPAIGN OWNER', ({ task }) => ({ task_id: task }), 'other-employer-demo-key'],
  ['listMessages', 'SUCCESS', { folder: 'INBOX', unread: 'yes', date_from: '2020-01-01 00:00:00' }],
  ['listMessages', 'INPUT_DATA', { folder: 'ATTIC', unread: 'perhaps', date_from: 'x', date_to: 'y' }],
  ['listMessages', 'NO MESSAGES', {}, 'quiet-employer-demo-key'],
  ['readMessage', 'SUCCESS', ({ message }) => ({ message_id: message })],
  ['readMessage', 'NO SUCH MESSAGE', { message_id: 'nope' }],
  ['readMessage', 'NO SUCH MESSAGE', ({ message }) => ({ message_id: message }), 'other-employer-demo-key'],
  ['listCampaignsExtended', 'SUCCESS', { status: 'RUNNING', folder: 'DEFAULT' }],
  [
    'listCampaignsExtended',
    'INPUT_DATA',
    { status: 'ASLEEP', folder: 'x', created_from: 'x', finished_to: 'x' },
  ],
  ['listCampaignsExtended', 'NO CAMPAIGNS', { status: 'BLOCKED' }],
  ['submitFileProof', 'SUCCESS', (known) => ({ ...proofOf(known), file_proof: png() })],
  ['submitFileProof', 'INPUT_DATA', { campaign_id: 'c1', ip: 'x' }],
  ['submitFileProof', 'UNKNOWN WORKER', { campaign_id: 'c1', user_id: 'nope', ip: '1.2.3.4', proof: 'x' }],
  [
    'submitFileProof',
    'This job is currently not running.',
    (known) => ({ ...proofOf(known), campaign_id: 'done' }),
  ],
  ['campaignResults', 'SUCCESS', { campaign_id: 'c1' }],
  ['campaignResults', 'NO SUCH CAMPAIGN', none],
  ['campaignResults', 'NO SUCH CAMPAIGN', { campaign_id: 'c1' }, 'other-employer-demo-key'],
  [
    'rateTask',
    'SUCCESS',
    ({ task }) => ({ campaign_id: 'c1', id_task: task, rating: 'OK', bonus: '0.05', favorite: 'add' }),
  ],
  [
    'rateTask',
    'COMMENT TO WORKER MISSING',
    ({ task }) => ({ campaign_id: 'c1', id_task: task, rating: 'NOK' }),
  ],
  ['rateTask', 'TASK NOT IN THIS CAMPAIGN', { campaign_id: 'c1', id_task: 'nope', rating: 'OK' }],
  ['retargetCampaign', 'SUCCESS', { campaign_id: 'c1', 'countries[]': ['US', 'GB', '-IN'] }],
  ['retargetCampaign', '"QQ" IS UNKNOWN COUNTRY CODE', { campaign_id: 'c1', 'countries[]': ['QQ'] }],
  ['retargetCampaign', 'NO INPUT', { campaign_id: 'c1' }],
  ['restartCampaign', 'SUCCESS', { campaign_id: 'done', positions: '5' }],
  ['restartCampaign', 'CAMPAIGN NOT FINISHED', { campaign_id: 'c1', positions: '5' }],
  ['restartCampaign', 'INPUT_DATA', { campaign_id: 'done', positions: '-5' }],
  ['restartCampaign', 'NO SUCH CAMPAIGN', { ...none, positions: '5' }],
  ['listExcludedEmployers', 'SUCCESS', {}, worker],
  ['listExcludedEmployers', 'API NOT ENABLED', {}, employer],
  ['listIncludedEmployers', 'SUCCESS', {}, worker],
  ['listIncludedEmployers', 'API KEY WRONG', {}, 'no-such-key'],
  ['listCampaigns', 'SUCCESS'],
  ['listCampaigns', 'API ACCESS IP DENIED', {}, 'denied-demo-key'],
  ['listCampaigns', 'NO CAMPAIGNS', {}, 'quiet-employer-demo-key'],
  ['deleteMessage', 'SUCCESS', ({ message }) => ({ message_id: message })],
  ['deleteMessage', 'NO SUCH MESSAGE', { message_id: 'nope' }],
  ['excludeWorkers', 'SUCCESS', (known) => ({ 'worker[]': [known.worker.id] })],
  ['excludeWorkers', 'No workers were added to exclude list', { 'worker[]': ['nope'] }],
  ['unexcludeWorkers', 'workers were not found in exclude list', { 'worker[]': ['all'] }],
  ['excludeEmployers', 'SUCCESS', (known) => ({ 'employer[]': [known.employer] }), worker],
  ['excludeEmployers', 'No employers were added to exclude list', { 'employer[]': ['nope'] }, worker],
  ['downloadFileProof', 'NO FILE PROOF', ({ task }) => ({ task_id: task, index: '1' })],
  ['downloadFileProof', 'DOWNLOAD ERROR', ({ broken }) => ({ task_id: broken, index: '1' })],
  ['workerTasks', 'SUCCESS', { rating: 'NOTRATED', page: '1', entries_per_page: '1' }, worker],
  ['workerTasks', 'INPUT_DATA', { rating: 'x', page: '0', entries_per_page: '201' }, worker],
];
