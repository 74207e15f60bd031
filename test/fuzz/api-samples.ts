import type { endpoints } from '../../src/marketplace/endpoints.ts';
import { type MarketplaceClient, money } from '../../src/marketplace/index.ts';

const task = {
  bonus_worker_earned: '0.00000',
  campaign_id: 'c1',
  csv_record_nr: '0',
  employer_comment: 'Blurred',
  finished_datetime: '2026-11-20 10:00:00',
  ip: '203.0.113.9',
  task_rating: 'NOTRATED',
  worker_earned: '0.45000',
  worker_id: 'w1',
};
const campaign = {
  campaign_id: 'c1',
  campaign_status: 'RUNNING',
  title: 'Photograph a shelf',
  required_work: 'Go there',
  required_proof: 'A photo',
  available_positions: '100',
  created_datetime: '2026-11-19 10:00:00',
  excluded_countries: '',
  targeted_countries: 'int',
  payment_per_task: '0.45000',
  speed: '500',
  qt_required: true,
  status: 'SUCCESS',
  tasks_ok: '1',
  tasks_nok: '0',
  tasks_not_rated: '1',
  tasks_not_reviewed: '0',
};
const message = {
  message_id: 'm1',
  message_type: '',
  datetime: '2026-11-20 10:00:00',
  folder: 'INBOX',
  subject: 'A question',
  has_attachment: '0',
};
const employers = [{ 'User ID': 'u1', Username: 'someone', Country: 'France' }];
const pager = {
  current_page: 1,
  entries_on_this_page: 1,
  entries_per_page: 200,
  first: 1,
  last: 1,
  first_page: 1,
  last_page: 1,
  next_page: null,
  previous_page: null,
  total_entries: 1,
};

/** A results file with everything that the marketplace puts into one. */
export const csvText = [
  'CAMPAIGN_TITLE,"Photograph a shelf, please"',
  'CAMPAIGN_STATUS,RUNNING',
  'CAMPAIGN_ID,c1',
  'PAYMENT_PER_TASK,0.45000',
  '----',
  'TASKS_SUBMITTED,2',
  'TASKS_OK,1',
  'TASKS_NOTRATED,1',
  '----',
  'ROW,CSV_ROW,TASK_ID,USER_ID,USERNAME,TASK_RATING,FINISHED,IP,COUNTRY_CODE,PROOF_1,EMPLOYER_COMMENT,HTTP_USER_AGENT',
  '1,0,t1,w1,ines,OK,2026-11-20 10:00:00,203.0.113.9,FR,"a ""quoted"" proof\nof two lines",,Mozilla/5.0',
  '2,0,t2,w2,omar,NOTRATED,2026-11-20 11:00:00,203.0.113.8,US,=1+1,,"Mozilla, like"',
  '',
].join('\n');

interface Sample {
  /** What the service answers, without the status. */
  readonly answer: object;
  readonly call: (client: MarketplaceClient) => Promise<unknown>;
}

const rating = { taskId: 't1', rating: 'NOK', comment: 'Blurred' } as const;

/** A call of each endpoint, and its answer as it should be. */
export const apiSamples: Readonly<Record<keyof typeof endpoints, Sample>> = {
  createCampaign: {
    answer: { campaign_id: 'c1', cost: '45.00000' },
    call: (client) =>
      client.createCampaign({
        title: 'A campaign',
        category: '0301',
        minutesToFinish: 5,
        availablePositions: 10,
        maxPositionsPerWorker: 1,
        paymentPerTask: money('0.45'),
        descriptionType: 'SAME',
        requiredWork: 'Go there',
        requiredProof: ['A photo'],
        ttr: 7,
        autoRate: 'NO',
        fileProof: 0,
      }),
  },
  listCategories: {
    answer: {
      count: 1,
      parent_categories: [
        {
          title: 'Photos',
          categories: [
            {
              id: '0301',
              title: 'Photograph',
              min_payment_per_task: [{ payment_per_task: '0.15000', zone: 'int' }],
            },
          ],
        },
      ],
    },
    call: (client) => client.listCategories(),
  },
  rateTasks: {
    answer: {
      campaign_id: 'c1',
      tasks: [{ id_task: 't1', rating: 'NOK', comment: 'Blurred', success: true }],
    },
    call: (client) => client.rateTasks('c1', [rating]),
  },
  getTaskInfo: {
    answer: {
      task_id: 't1',
      task_details: {
        ...task,
        country: 'France',
        proof: ['A shelf', '', ''],
        file_proof: {
          status: 'OK',
          file_proof_details: [{ content_type: 'image/png', filename: 'a.png', index: 1, size: 3 }],
        },
      },
    },
    call: (client) => client.getTaskInfo('t1'),
  },
  listMessages: {
    answer: { count: '1', messages: [{ ...message, unread: true }] },
    call: (client) => client.listMessages({ folder: 'INBOX' }),
  },
  readMessage: {
    answer: { ...message, message: 'How do I find it?' },
    call: (client) => client.readMessage('m1'),
  },
  listCampaignsExtended: {
    answer: { count: 1, campaigns: [campaign] },
    call: (client) => client.listCampaignsExtended(),
  },
  submitFileProof: {
    answer: { campaign_id: 'c1', task_id: 't3' },
    call: (client) => client.submitFileProof('c1', { workerId: 'w1', ip: '203.0.113.9', proof: 'A shelf' }),
  },
  campaignResults: {
    answer: { campaign_id: 'c1', csv: csvText },
    call: (client) => client.campaignResults('c1'),
  },
  rateTask: {
    answer: { campaign_id: 'c1', task_id: 't1' },
    call: (client) => client.rateTask('c1', rating),
  },
  retargetCampaign: {
    answer: { campaign_id: 'c1', retargeted: ['US', '-IN'] },
    call: (client) => client.retargetCampaign('c1', { include: ['US'], exclude: ['IN'] }),
  },
  restartCampaign: {
    answer: { campaign_id: 'c1', positions_added: '10' },
    call: (client) => client.restartCampaign('c1', 10),
  },
  listExcludedEmployers: { answer: { employers }, call: (client) => client.listExcludedEmployers() },
  listIncludedEmployers: { answer: { employers }, call: (client) => client.listIncludedEmployers() },
  listCampaigns: {
    answer: { count: 1, campaigns: [['c1', 'Photograph a shelf', 'RUNNING']] },
    call: (client) => client.listCampaigns(),
  },
  deleteMessage: { answer: { message_id: 'm1' }, call: (client) => client.deleteMessage('m1') },
  unexcludeWorkers: {
    answer: { message: '2 workers have been removed' },
    call: (client) => client.unexcludeWorkers(['w1', 'w2']),
  },
  excludeEmployers: {
    answer: { message: '1 employers have been added' },
    call: (client) => client.excludeEmployers(['u1']),
  },
  excludeWorkers: {
    answer: { message: '1 workers have been added' },
    call: (client) => client.excludeWorkers(['w1']),
  },
  downloadFileProof: {
    answer: { error: 'NO FILE PROOF' },
    call: async (client) => {
      const { stream, filename, contentType } = await client.downloadFileProof('t1', 1);
      let bytes = 0;
      for await (const chunk of stream) bytes += (chunk as Buffer).length;
      return { filename, contentType, bytes };
    },
  },
  workerTasks: {
    answer: {
      tasks: [{ ...task, id: 't1', campaign_title: 'Photograph', has_file: '0', proof: 'A shelf' }],
      pager,
    },
    call: (client) => client.workerTasks({ page: 1 }),
  },
};
