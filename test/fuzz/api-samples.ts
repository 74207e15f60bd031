import type { endpoints } from '../../src/marketplace/endpoints.ts';

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
/** A task as get_task_info has it. */
export const taskDetails = {
  ...task,
  country: 'France',
  proof: ['A shelf', '', ''],
  file_proof: {
    status: 'OK',
    file_proof_details: [{ content_type: 'image/png', filename: 'a.png', index: 1, size: 3 }],
  },
};

/** A campaign as list_extend has it. */
export const campaignSummary = {
  campaign_id: '12e5',
  campaign_status: 'RUNNING',
  title: 'Title',
  required_work: 'Work',
  required_proof: 'Proof',
  available_positions: '100',
  created_datetime9: '2026-01-02 03:04:05',
  excluded_countries: '',
  targeted_countries: 'int',
  payment_per_task: '0.05000',
  speed: '500',
  qt_required: true,
  status: 'SUCCESS',
  tasks_ok: '1',
  tasks_nok: '2',
  tasks_not_rated: '3',
  tasks_not_reviewed: '4',
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
const csvText = [
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

/** The answer of each endpoint as it should be, without the status. */
export const answersOf: Readonly<Record<keyof typeof endpoints, object>> = {
  createCampaign: { campaign_id: 'c1', cost: '45.00000' },
  listCategories: {
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
  rateTasks: {
    campaign_id: 'c1',
    tasks: [{ id_task: 't1', rating: 'NOK', comment: 'Blurred', success: true }],
  },
  getTaskInfo: { task_id: 't1', task_details: taskDetails },
  listMessages: { count: '1', messages: [{ ...message, unread: true }] },
  readMessage: { ...message, message: 'How do I find it?' },
  listCampaignsExtended: { count: 1, campaigns: [campaignSummary] },
  submitFileProof: { campaign_id: 'c1', task_id: 't3' },
  campaignResults: { campaign_id: 'c1', csv: csvText },
  rateTask: { campaign_id: 'c1', task_id: 't1' },
  retargetCampaign: { campaign_id: 'c1', retargeted: ['US', '-IN'] },
  restartCampaign: { campaign_id: 'c1', positions_added: '10' },
  listExcludedEmployers: { employers },
  listIncludedEmployers: { employers },
  listCampaigns: { count: 1, campaigns: [['c1', 'Photograph a shelf', 'RUNNING']] },
  deleteMessage: { message_id: 'm1' },
  unexcludeWorkers: { message: '2 workers have been removed' },
  excludeEmployers: { message: '1 employers have been added' },
  excludeWorkers: { message: '1 workers have been added' },
  downloadFileProof: { error: 'NO FILE PROOF' },
  workerTasks: {
    tasks: [{ ...task, id: 't1', campaign_title: 'Photograph', has_file: '0', proof: 'A shelf' }],
    pager,
  },
};
