import { z } from 'zod';
import { parseDatetime } from './datetime.ts';
import { zones } from './geography.ts';
import type { Account, Campaign, World } from './model.ts';
import { freshId, proofFile } from './model.ts';
import { money } from './money.ts';
import { addAccount, addCampaign, createPeople, employerKey } from './new-world.ts';
import { createRandom } from './random.ts';
import { createSeed } from './seed.ts';
import { Settings } from './settings.ts';
import { submit } from './submissions.ts';
import { campaignStatuses, ratings } from './terms.ts';

/** `YYYY-MM-DD hh:mm:ss`, parsed to milliseconds. */
export const Datetime = z.string().transform((text, context) => {
  const at = parseDatetime(text);
  if (at === undefined) context.addIssue('must be a datetime, YYYY-MM-DD hh:mm:ss in UTC');
  return at ?? 0;
});

const positive = z.int().positive();

/** The fields of a campaign that the control calls can set, by the names of README.md. */
export const CampaignFields = z.strictObject({
  status: z.enum(campaignStatuses),
  title: z.string(),
  required_work: z.string(),
  required_proof: z.array(z.string()).min(1).max(3),
  available_positions: z.int().min(0),
  payment_per_task: z.string().regex(/^\d+(\.\d{1,5})?$/, 'must be a decimal with at most 5 places, as text'),
  folder: z.enum(['DEFAULT', 'ARCHIVE']),
  zone: z.enum(zones),
  targeted_countries: z.array(z.string()),
  excluded_countries: z.array(z.string()),
  speed: z.int().min(0),
  qt_required: z.boolean(),
  group_id: z.string(),
  category: z.string(),
  minutes_to_finish: positive,
  max_positions_per_worker: positive,
  description_type: z.enum(['SAME', 'UNIQUE']),
  ttr: z.int().min(1).max(30),
  auto_rate: z.enum(['NO', 'V', 'V+R']),
  file_proof: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  vcode: z.string(),
  min_success_rate: z.number().min(0).max(100),
  created_datetime: Datetime,
  restarted_datetime: Datetime,
  finished_datetime: Datetime,
});

export const FileInput = z.strictObject({
  filename: z.string().min(1),
  content_type: z.string().min(1),
  base64: z.base64(),
  broken: z.boolean().default(false),
});

/** A task; missing fields are made up. */
export const TaskInput = z.strictObject({
  task_id: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/)
    .optional(),
  worker_id: z.string().optional(),
  proof: z.array(z.string()).max(3).optional(),
  files: z.array(FileInput).optional(),
  file_proof_status: z.string().optional(),
  ip: z.string().optional(),
  country: z.string().optional(),
  user_agent: z.string().optional(),
  rating: z.enum(ratings).default('NOTRATED'),
  comment: z.string().optional(),
  finished_datetime: Datetime.optional(),
  csv_record_nr: z.int().min(0).optional(),
});

export const NewCampaign = CampaignFields.partial().extend({
  campaign_id: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/)
    .optional(),
  /** The key of the employer that owns it. */
  key: z.string().default(employerKey),
  /** Either the number of tasks of each rating, or the tasks themselves. */
  tasks: z.union([z.partialRecord(z.enum(ratings), z.int().min(0)), z.array(TaskInput)]).default([]),
  /** The number of identical campaigns, with numbered titles. */
  repeat: positive.default(1),
});

export const NewMessage = z.strictObject({
  key: z.string().default(employerKey),
  subject: z.string().default('A question about your campaign'),
  message: z.string().default('Hello, may I ask something about the last step?'),
  message_type: z.string().default('WORKER'),
  attachment: z.boolean().default(false),
  folder: z.enum(['INBOX', 'SENT', 'TRASH']).default('INBOX'),
  unread: z.boolean().default(true),
  datetime: Datetime.optional(),
});

/** A world as data: `--scenario FILE` and `POST /_sandbox/reset`. */
export const Scenario = z.strictObject({
  settings: Settings.partial().optional(),
  /** Adds to the seeded world; otherwise the world has only the given data, the accounts and the workers. */
  seed: z.boolean().default(false),
  accounts: z
    .array(
      z.strictObject({
        key: z.string().min(1),
        username: z.string().min(1),
        country: z.string().default('US'),
      }),
    )
    .default([]),
  /** False: the service has no categories. */
  categories: z.boolean().default(true),
  campaigns: z.array(NewCampaign).default([]),
  messages: z.array(NewMessage).default([]),
});
/** A scenario before parsing. */
export type Scenario = z.input<typeof Scenario>;

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Returns the object without its undefined fields. */
export function definedOnly<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** Sets the given fields, except the status: the caller sets that with its time. */
export function setFields(
  campaign: Campaign,
  given: {
    [Key in keyof z.output<typeof CampaignFields>]?: z.output<typeof CampaignFields>[Key] | undefined;
  },
): void {
  const {
    status: _status,
    payment_per_task,
    created_datetime,
    restarted_datetime,
    finished_datetime,
    ...plain
  } = definedOnly(given);
  Object.assign(campaign, plain);
  if (payment_per_task !== undefined) campaign.payment_per_task = money(payment_per_task);
  if (created_datetime !== undefined) campaign.created = created_datetime;
  if (restarted_datetime !== undefined) campaign.restarted = restarted_datetime;
  if (finished_datetime !== undefined) campaign.finished = finished_datetime;
}

/** Returns a file of a proof from control input. */
export function fileFromInput({ filename, content_type, base64, broken }: z.output<typeof FileInput>) {
  return proofFile(filename, content_type, Buffer.from(base64, 'base64'), broken);
}

/** Adds a task from control input. Throws RangeError for an unknown worker or a taken id. */
export function addFromInput(
  world: World,
  campaign: Campaign,
  { rating, comment, files, finished_datetime, ...given }: z.output<typeof TaskInput>,
  now: number,
) {
  if (given.worker_id !== undefined && !world.workers.has(given.worker_id)) {
    throw new RangeError(`worker_id: no worker has the id ${given.worker_id}`);
  }
  if (given.task_id !== undefined && world.tasks.has(given.task_id)) {
    throw new RangeError(`task_id: there is a task ${given.task_id} already`);
  }
  return submit(world, campaign, {
    ...definedOnly(given),
    ...(comment === undefined ? {} : { employer_comment: comment }),
    files: (files ?? []).map(fileFromInput),
    task_rating: rating,
    finished: finished_datetime ?? now,
  });
}

/** Adds one campaign, or several identical ones. Throws RangeError for an unknown key or a taken id. */
export function addCampaigns(world: World, input: z.output<typeof NewCampaign>, now: number): Campaign[] {
  const { campaign_id, key, tasks, repeat, ...fields } = input;
  const owner = world.accounts.get(key);
  if (owner?.role !== 'employer') throw new RangeError(`key: no employer has the key ${key}`);
  if (campaign_id !== undefined && (world.campaigns.has(campaign_id) || repeat > 1)) {
    throw new RangeError(`campaign_id: ${campaign_id} cannot be given to another campaign`);
  }
  return Array.from({ length: repeat }, (_, at) => {
    const campaign = addCampaign(world, owner, {
      campaign_id: campaign_id ?? freshId(world.random, world.campaigns),
      created: now,
      campaign_status: fields.status ?? 'RUNNING',
    });
    setFields(campaign, fields);
    if (repeat > 1) campaign.title = `${campaign.title} ${at + 1}`;
    if (Array.isArray(tasks)) {
      for (const task of tasks) addFromInput(world, campaign, task, now);
    } else {
      for (const rating of ratings) {
        for (let count = tasks[rating] ?? 0; count > 0; count -= 1) {
          submit(world, campaign, { task_rating: rating, finished: now });
        }
      }
    }
    if (fields.available_positions === undefined) {
      campaign.available_positions = Math.max(campaign.available_positions, campaign.tasks.length * 2);
    }
    return campaign;
  });
}

export function addMessage(
  world: World,
  owner: Account,
  input: z.output<typeof NewMessage>,
  now: number,
): string {
  const { key: _key, attachment, datetime, ...message } = input;
  const message_id = freshId(world.random, world.messages);
  world.messages.set(message_id, {
    ...message,
    message_id,
    owner: owner.id,
    datetime: datetime ?? now,
    has_attachment: attachment,
  });
  return message_id;
}

/** Returns the account with this key. Throws RangeError when there is none. */
export function accountOfKey(world: World, key: string): Account {
  const account = world.accounts.get(key);
  if (!account) throw new RangeError(`key: no account has the key ${key}`);
  return account;
}

/** Builds the world of a scenario; without one, the seeded world. */
export function buildWorld(scenario: z.output<typeof Scenario> | undefined, now: number): World {
  if (!scenario) return createSeed(now);
  const world = scenario.seed ? createSeed(now) : createPeople(createRandom(1));
  for (const account of scenario.accounts) {
    addAccount(world, { ...account, id: freshId(world.random, world.accounts), role: 'employer' });
  }
  if (!scenario.categories) world.categories = [];
  for (const campaign of scenario.campaigns) addCampaigns(world, campaign, now);
  for (const message of scenario.messages) addMessage(world, accountOfKey(world, message.key), message, now);
  return world;
}
