/**
 * Further facts from the API description about each operation, its fields and its errors, beyond those that the client needs
 * (src/marketplace/endpoints.ts). An operation without a row here does not compile; a field that the client sends without
 * a row fails test/contract/openapi.test.ts.
 */
import { campaignStatuses, ratings, verdicts } from '../../src/domain/terms.ts';
import {
  autoRateMeanings,
  columnPlaceholderExample,
  defaultExcludeMark,
} from '../../src/marketplace/api-assumptions.ts';
import type { endpoints } from '../../src/marketplace/endpoints.ts';
import type { MarketplaceErrorCode } from '../../src/marketplace/errors.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

interface Field {
  readonly schema: JsonSchema;
  readonly description?: string;
  readonly required?: true;
}

export interface Operation {
  readonly tag: (typeof tags)[number]['name'];
  readonly summary: string;
  readonly description?: string;
  /** The codes of its error texts and error lists, besides those about the key. */
  readonly errors: readonly MarketplaceErrorCode[];
  /** The codes that single entries of a SUCCESS answer may have. */
  readonly entryErrors?: readonly MarketplaceErrorCode[];
  /** In the order in which the client sends them. */
  readonly fields: Readonly<Record<string, Field>>;
  /** Keywords for the body as a whole. */
  readonly body?: JsonSchema;
}

export const tags = [
  { name: 'Campaigns', description: 'Creating, listing and changing campaigns, and their results.' },
  { name: 'Tasks', description: 'Reading and rating what workers submitted, and submitting for them.' },
  { name: 'Messages', description: 'The inbox.' },
  { name: 'Workers', description: 'The list of workers that an employer excludes.' },
  {
    name: 'Worker side',
    description: 'For keys that act as workers: their own tasks, and the employers on their lists.',
  },
] as const;

const string = { type: 'string' } as const;
const datetime = {
  type: 'string',
  pattern: '^(\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2})?$',
  examples: ['2026-01-31 09:00:00'],
} as const;
const ids = { type: 'array', items: string, minItems: 1 } as const;
const decimal = { type: 'string', pattern: '^\\d+(\\.\\d+)?$', examples: ['0.05000'] } as const;
const whole = { type: 'integer', minimum: 1 } as const;
const binary = { type: 'string', contentMediaType: 'application/octet-stream' } as const;
const choice = (...values: readonly string[]) => ({ type: 'string', enum: values }) as const;

const from = { schema: datetime, description: 'A datetime, at or after which.' };
const to = { schema: datetime, description: 'A datetime, at or before which.' };

/** The fields of rate_task, and of each entry of rate_tasks. */
const rating = {
  comment: 'What the worker reads. Mandatory with NOK and REVISE.',
  bonus: 'A decimal between payment_per_task × 0.1 and payment_per_task × 2.',
  favorite: 'Puts the worker among the favorites, or takes them out.',
};

export const operations: Readonly<Record<keyof typeof endpoints, Operation>> = {
  createCampaign: {
    tag: 'Campaigns',
    summary: 'Create campaign',
    description:
      'Which fields are mandatory is not described, beyond those marked optional and csv, which goes with a description of type UNIQUE. A success carries `cost`, or `speed_previous` and `speed_new`. A failure carries `errors` and `min_payment_per_task`.',
    body: {
      anyOf: [
        { properties: { description_type: { const: 'SAME' } } },
        { properties: { csv: binary }, required: ['csv'] },
      ],
    },
    errors: ['POSITIONS', 'AUTO_RATE', 'PAYMENT_TOO_LOW'],
    fields: {
      title: { schema: string },
      group_id: { schema: string, description: 'Group identifier.' },
      category: { schema: string, description: 'Category id from categories_list.' },
      minutes_to_finish: { schema: { type: 'number' }, description: 'Minutes the job takes.' },
      available_positions: { schema: whole, description: 'Total positions across all participants.' },
      max_positions_per_worker: { schema: { type: 'integer' }, description: 'Most positions of one worker.' },
      payment_per_task: {
        schema: decimal,
        description: 'Cost per task; must reach the minimum of the category for the zone.',
      },
      description_type: {
        schema: choice('SAME', 'UNIQUE'),
        description: 'SAME: all workers see the same description. UNIQUE: each sees their own, from `csv`.',
      },
      required_work: { schema: string, description: 'Description of the work.' },
      required_proof: { schema: string, description: 'The proof wanted, when it is one.' },
      'required_proof[]': {
        schema: { type: 'array', items: string, maxItems: 3 },
        description: 'The proofs wanted, at most 3 per position; instead of required_proof.',
      },
      ttr: { schema: { type: 'integer', minimum: 1, maximum: 30 }, description: 'Time to rate, in days.' },
      auto_rate: {
        schema: choice(...Object.keys(autoRateMeanings)),
        description: `Assumed: ${Object.entries(autoRateMeanings)
          .map(([value, meaning]) => `${value}: ${meaning.charAt(0).toLowerCase()}${meaning.slice(1)}`)
          .join('; ')}.`,
      },
      file_proof: {
        schema: { type: 'integer', enum: [0, 1, 2] },
        description: '0: no file proof; 1: optional; 2: required.',
      },
      qt_required: { schema: { type: 'integer', enum: [0, 1], default: 1 }, description: 'Optional.' },
      file: { schema: binary, description: 'A file attached to the campaign. Optional.' },
      csv: {
        schema: binary,
        description: `Template variables; only with a description of type UNIQUE. Assumed: required_work names a column as ${columnPlaceholderExample}.`,
      },
    },
  },
  listCategories: {
    tag: 'Campaigns',
    summary: 'List categories',
    description: 'The catalogue of categories, with the minimum payment of each in every zone.',
    errors: ['NO_CATEGORIES'],
    fields: {},
  },
  rateTasks: {
    tag: 'Tasks',
    summary: 'Rate several tasks',
    description:
      'Entries at the same position of the arrays describe one task. The answer is SUCCESS also when single entries carry errors.',
    errors: ['NO_SUCH_CAMPAIGN', 'INPUT_DATA', 'SYSTEM_ERROR'],
    entryErrors: ['COMMENT_MISSING', 'BONUS_OUT_OF_RANGE', 'TASK_NOT_UNIQUE', 'BALANCE_TOO_LOW'],
    fields: {
      'id_task[]': { schema: ids, required: true },
      'rating[]': { schema: { type: 'array', items: choice(...verdicts), minItems: 1 }, required: true },
      'comment[]': { schema: { type: 'array', items: string }, description: rating.comment },
      'bonus[]': { schema: { type: 'array', items: decimal }, description: rating.bonus },
      'favorite[]': {
        schema: { type: 'array', items: choice('add', 'remove') },
        description: rating.favorite,
      },
    },
  },
  getTaskInfo: {
    tag: 'Tasks',
    summary: 'Get task info',
    description: 'Only the owner of the campaign may read it.',
    errors: ['NO_SUCH_TASK', 'NOT_A_CAMPAIGN_OWNER'],
    fields: {},
  },
  listMessages: {
    tag: 'Messages',
    summary: 'List messages',
    description: 'The messages without their bodies.',
    errors: [
      'NO_MESSAGES',
      'INPUT_DATA',
      'FOLDER_INVALID',
      'UNREAD_INVALID',
      'DATE_FROM_INVALID',
      'DATE_TO_INVALID',
    ],
    fields: {
      folder: { schema: choice('INBOX', 'SENT', 'TRASH') },
      date_from: from,
      date_to: to,
      unread: {
        schema: choice('yes', 'no', ''),
        description: 'yes: only unread; no: only read; empty: both.',
      },
    },
  },
  readMessage: { tag: 'Messages', summary: 'Read message', errors: ['NO_SUCH_MESSAGE'], fields: {} },
  listCampaignsExtended: {
    tag: 'Campaigns',
    summary: 'List campaigns, extended',
    errors: [
      'NO_CAMPAIGNS',
      'INPUT_DATA',
      'STATUS_INVALID',
      'FOLDER_INVALID',
      'CREATED_FROM_INVALID',
      'CREATED_TO_INVALID',
      'RESTARTED_FROM_INVALID',
      'RESTARTED_TO_INVALID',
      'FINISHED_FROM_INVALID',
      'FINISHED_TO_INVALID',
    ],
    fields: {
      status: { schema: choice(...campaignStatuses) },
      folder: { schema: choice('DEFAULT', 'ARCHIVE') },
      created_from: from,
      created_to: to,
      restarted_from: from,
      restarted_to: to,
      finished_from: from,
      finished_to: to,
    },
  },
  submitFileProof: {
    tag: 'Tasks',
    summary: 'Submit worker file proof',
    description: 'Submits a proof on behalf of a worker.',
    errors: [
      'NO_SUCH_CAMPAIGN',
      'UNKNOWN_WORKER',
      'SYSTEM_ERROR',
      'INPUT_DATA',
      'WORKER_RESTRICTED',
      'PHONE_NOT_VALIDATED',
      'JOB_NOT_RUNNING',
      'PROOF_REQUIRED',
      'CAMPAIGN_NOT_FOR_THIS_WORKER',
      'IP_NOT_IN_ACCEPTED_COUNTRIES',
      'COUNTRY_EXCLUDED',
      'IP_NOT_IN_ACCEPTED_COUNTRY',
      'SUCCESS_RATE_TOO_LOW',
      'ALREADY_SUBMITTED',
      'SAME_IP_ALREADY_SUBMITTED',
      'VCODE_INCORRECT',
      'IP_DOES_NOT_MATCH',
      'FILE_FORMAT_NOT_SUPPORTED',
      'FILE_HAS_VIRUS',
      'FILE_UPLOAD_FAILURE',
    ],
    fields: {
      user_id: { schema: string, description: 'The worker’s id.' },
      ip: { schema: string, description: 'The worker’s IP address.' },
      proof: { schema: string, description: 'Text submitted by the worker.' },
      file_proof: { schema: binary, description: 'File submitted by the worker.' },
    },
  },
  campaignResults: {
    tag: 'Campaigns',
    summary: 'Campaign results as CSV',
    description:
      'The CSV, as one text in the answer: key,value lines, a separator line, the counts, a separator line, a header row (ROW, CSV_ROW, TASK_ID, USER_ID, USERNAME, TASK_RATING, FINISHED, IP, COUNTRY_CODE, PROOF_1, EMPLOYER_COMMENT, HTTP_USER_AGENT) and one row per submitted task.',
    errors: ['NO_SUCH_CAMPAIGN'],
    fields: {},
  },
  rateTask: {
    tag: 'Tasks',
    summary: 'Rate one task',
    description:
      'REVISE is in its field table, and one of its errors forbids it. Assumed: REVISE is accepted by rate_tasks alone.',
    errors: [
      'NO_SUCH_CAMPAIGN',
      'TASK_NOT_IN_THIS_CAMPAIGN',
      'ONLY_NOTRATED_TASK_CAN_BE_RATED',
      'RATING_CAN_ONLY_BE_OK_OR_NOK',
      'COMMENT_MISSING',
      'CAMPAIGN_IS_PAUSED_ADMIN',
      'CAMPAIGN_IS_PENDING_REVIEW',
    ],
    fields: {
      id_task: { schema: string, required: true },
      rating: { schema: choice(...verdicts), required: true },
      comment: { schema: string, description: rating.comment },
      bonus: { schema: decimal, description: rating.bonus },
      favorite: { schema: choice('add', 'remove'), description: rating.favorite },
    },
  },
  retargetCampaign: {
    tag: 'Campaigns',
    summary: 'Retarget campaign',
    description:
      'At most 10 entries may be excludes and at least 1 must be an include; a waiting time must have passed since the last one.',
    errors: [
      'NO_SUCH_CAMPAIGN',
      'NEXT_RETARGET',
      'TOO_MANY_EXCLUDES',
      'INCLUDES_NECESSARY',
      'UNKNOWN_COUNTRY_CODE',
      'COUNTRIES_NOT_AVAILABLE',
      'NO_INPUT',
    ],
    fields: {
      'countries[]': {
        schema: ids,
        description: `The new country codes. Assumed: an exclude has \`${defaultExcludeMark}\` before its code, unless the client is configured otherwise.`,
        required: true,
      },
    },
  },
  restartCampaign: {
    tag: 'Campaigns',
    summary: 'Restart campaign',
    description: 'Adds positions to a campaign that is FINISHED.',
    errors: ['NO_SUCH_CAMPAIGN', 'INPUT_DATA', 'SYSTEM_ERROR', 'CAMPAIGN_NOT_FINISHED'],
    fields: { positions: { schema: whole, description: 'How many to add.', required: true } },
  },
  listExcludedEmployers: { tag: 'Worker side', summary: 'Excluded employers', errors: [], fields: {} },
  listIncludedEmployers: { tag: 'Worker side', summary: 'Included employers', errors: [], fields: {} },
  listCampaigns: {
    tag: 'Campaigns',
    summary: 'List campaigns',
    description: 'Each campaign as its id, its title and its status.',
    errors: ['NO_CAMPAIGNS'],
    fields: {},
  },
  deleteMessage: {
    tag: 'Messages',
    summary: 'Delete message',
    description: 'Moves the message to TRASH.',
    errors: ['NO_SUCH_MESSAGE', 'UNABLE_TO_DELETE_MESSAGE'],
    fields: {},
  },
  unexcludeWorkers: {
    tag: 'Workers',
    summary: 'Remove workers from exclude list',
    errors: ['WORKERS_NOT_FOUND'],
    fields: {
      'worker[]': {
        schema: ids,
        description: 'User ids of workers, or the single value `all`, which clears the list.',
        required: true,
      },
    },
  },
  excludeEmployers: {
    tag: 'Worker side',
    summary: 'Add employers to the worker’s exclude list',
    errors: ['NO_EMPLOYERS_ADDED'],
    fields: { 'employer[]': { schema: ids, description: 'User ids of employers.', required: true } },
  },
  excludeWorkers: {
    tag: 'Workers',
    summary: 'Add workers to the employer’s exclude list',
    errors: ['NO_WORKERS_ADDED'],
    fields: { 'worker[]': { schema: ids, description: 'User ids of workers.', required: true } },
  },
  downloadFileProof: {
    tag: 'Tasks',
    summary: 'Download proof file',
    description: 'A success is the file itself, offered under its original name; a failure is JSON.',
    errors: ['NO_SUCH_TASK', 'NOT_A_CAMPAIGN_OWNER', 'DOWNLOAD_ERROR', 'NO_FILE_PROOF'],
    fields: {},
  },
  workerTasks: {
    tag: 'Worker side',
    summary: 'Worker’s submitted tasks',
    errors: [
      'INPUT_DATA',
      'RATING_INVALID',
      'FINISHED_FROM_INVALID',
      'FINISHED_TO_INVALID',
      'PAGE_INVALID',
      'PAGE_TOO_SMALL',
      'ENTRIES_PER_PAGE_INVALID',
      'ENTRIES_PER_PAGE_TOO_SMALL',
      'ENTRIES_PER_PAGE_TOO_LARGE',
    ],
    fields: {
      rating: { schema: choice(...ratings) },
      finished_from: from,
      finished_to: to,
      page: { schema: { ...whole, default: 1 } },
      entries_per_page: { schema: { ...whole, maximum: 200, default: 200 } },
    },
  },
};

/** The parts of paths. */
export const pathParameters: Readonly<Record<string, string>> = {
  campaign_id: 'Campaign id.',
  task_id: 'Task id.',
  message_id: 'Message id.',
  index: 'Number of the file, from 1, as in file_proof_details.',
};
