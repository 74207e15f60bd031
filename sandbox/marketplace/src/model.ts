import { createHash } from 'node:crypto';
import type { Zone } from './geography.ts';
import type { Money } from './money.ts';
import { money } from './money.ts';
import type { Random } from './random.ts';
import type { CampaignStatus, Rating } from './terms.ts';

/** Names are the API's own where it has one. Times are in milliseconds, money is exact. */

export interface Account {
  readonly id: string;
  readonly key: string;
  readonly role: 'employer' | 'worker';
  readonly username: string;
  readonly country: string;
  /** A disabled key answers `API NOT ENABLED`, a denied one `API ACCESS IP DENIED`. */
  readonly access: 'open' | 'disabled' | 'denied';
  /** Worker ids: employer/exclude_list, and `favorite` of the ratings. */
  readonly excluded_workers: Set<string>;
  readonly favorites: Set<string>;
  /** Account ids of employers: worker/exclude_list and worker/include_list. */
  readonly excluded_employers: Set<string>;
  readonly included_employers: Set<string>;
}

export interface Worker {
  readonly worker_id: string;
  readonly username: string;
  readonly country: string;
  readonly ip: string;
  readonly user_agent: string;
  readonly restricted: boolean;
  readonly phone_validated: boolean;
  /** The percentage of this worker's ratings that were OK. */
  readonly success_rate: number;
}

export interface ProofFile {
  readonly filename: string;
  readonly content_type: string;
  readonly bytes: Buffer;
  readonly sha256: string;
  /** The service lost the file: its download answers `DOWNLOAD ERROR`. */
  readonly broken: boolean;
}

export interface Campaign {
  readonly campaign_id: string;
  /** Account id of the employer. */
  readonly owner: string;
  campaign_status: CampaignStatus;
  /** When it got that status. `moves_by_itself`: whether time alone moves it on (see `advance`). */
  status_since: number;
  moves_by_itself: boolean;
  title: string;
  required_work: string;
  required_proof: string[];
  /** All positions, including taken ones. */
  available_positions: number;
  created: number;
  restarted: number | null;
  finished: number | null;
  retargeted: number | null;
  folder: 'DEFAULT' | 'ARCHIVE';
  zone: Zone;
  targeted_countries: string[];
  excluded_countries: string[];
  payment_per_task: Money;
  speed: number;
  qt_required: boolean;
  group_id: string;
  category: string;
  minutes_to_finish: number;
  max_positions_per_worker: number;
  description_type: 'SAME' | 'UNIQUE';
  ttr: number;
  auto_rate: 'NO' | 'V' | 'V+R';
  /** 0: no file proof, 1: optional, 2: required. */
  file_proof: 0 | 1 | 2;
  /** The code that a proof must contain when auto_rate verifies one; empty: none. */
  vcode: string;
  /** Workers with a lower percentage of OK ratings are refused. */
  min_success_rate: number;
  readonly attachments: { file?: ProofFile; csv?: ProofFile };
  readonly tasks: Task[];
  readonly counts: Record<Rating, number>;
}

/** An entry in the marketplace's own history of a task. */
interface TaskEvent {
  readonly at: number;
  readonly by: 'worker' | 'api' | 'website' | 'marketplace';
  readonly task_rating: Rating;
  readonly comment: string;
  readonly bonus: string;
}

/** The state of a task until some time. */
interface TaskVersion {
  readonly until: number;
  readonly task_rating: Rating;
  readonly employer_comment: string;
  readonly proof: string[];
  readonly finished: number;
}

export interface Task {
  readonly task_id: string;
  readonly campaign_id: string;
  readonly worker_id: string;
  readonly csv_record_nr: number;
  readonly country: string;
  readonly ip: string;
  readonly user_agent: string;
  proof: string[];
  files: ProofFile[];
  /** `status` of file_proof; empty: derived from the files. */
  readonly file_proof_status: string;
  task_rating: Rating;
  finished: number;
  employer_comment: string;
  worker_earned: Money;
  bonus_worker_earned: Money;
  readonly history: TaskEvent[];
  /** Its state before each move, oldest first. */
  earlier: readonly TaskVersion[];
}

export interface Message {
  readonly message_id: string;
  readonly owner: string;
  readonly message_type: string;
  readonly datetime: number;
  folder: 'INBOX' | 'SENT' | 'TRASH';
  readonly subject: string;
  readonly message: string;
  unread: boolean;
  readonly has_attachment: boolean;
}

export interface ParentCategory {
  readonly title: string;
  readonly categories: readonly {
    readonly id: string;
    readonly title: string;
    readonly min_payment_per_task: readonly { readonly payment_per_task: Money; readonly zone: Zone }[];
  }[];
}

export interface World {
  readonly random: Random;
  /** By API key. */
  readonly accounts: Map<string, Account>;
  readonly workers: Map<string, Worker>;
  categories: readonly ParentCategory[];
  readonly campaigns: Map<string, Campaign>;
  readonly tasks: Map<string, Task>;
  readonly messages: Map<string, Message>;
  /** Tasks in REVISE, with the time they got there; the simulated workers will correct them. */
  readonly awaiting_correction: Map<string, number>;
}

export function createWorld(random: Random): World {
  return {
    random,
    accounts: new Map(),
    workers: new Map(),
    categories: [],
    campaigns: new Map(),
    tasks: new Map(),
    messages: new Map(),
    awaiting_correction: new Map(),
  };
}

export function proofFile(filename: string, content_type: string, bytes: Buffer, broken = false): ProofFile {
  return { filename, content_type, bytes, sha256: createHash('sha256').update(bytes).digest('hex'), broken };
}

/** Returns an id that is not in the map yet. */
export function freshId(random: Random, taken: ReadonlyMap<string, unknown>): string {
  let id = random.id();
  while (taken.has(id)) id = random.id();
  return id;
}

/** Returns the account with this id (not key). */
export function accountById(world: World, id: string): Account | undefined {
  for (const account of world.accounts.values()) if (account.id === id) return account;
  return undefined;
}

export type NewTask = Omit<
  Task,
  | 'task_id'
  | 'campaign_id'
  | 'worker_earned'
  | 'bonus_worker_earned'
  | 'history'
  | 'earlier'
  | 'employer_comment'
  | 'file_proof_status'
> & { task_id?: string; employer_comment?: string; file_proof_status?: string };

const nothing = money(0);
const never: readonly TaskVersion[] = [];

/** Adds a submitted task at the end of the campaign's results. */
export function addTask(world: World, campaign: Campaign, fields: NewTask): Task {
  const comment = fields.employer_comment ?? '';
  const paid = fields.task_rating === 'OK';
  // Written out field by field: thousands of objects made by spreading are several times slower to read.
  const task: Task = {
    task_id: fields.task_id ?? freshId(world.random, world.tasks),
    campaign_id: campaign.campaign_id,
    worker_id: fields.worker_id,
    csv_record_nr: fields.csv_record_nr,
    country: fields.country,
    ip: fields.ip,
    user_agent: fields.user_agent,
    proof: fields.proof,
    files: fields.files,
    file_proof_status: fields.file_proof_status ?? '',
    task_rating: fields.task_rating,
    finished: fields.finished,
    employer_comment: comment,
    worker_earned: paid ? campaign.payment_per_task : nothing,
    bonus_worker_earned: nothing,
    history: [{ at: fields.finished, by: 'worker', task_rating: fields.task_rating, comment, bonus: '' }],
    earlier: never,
  };
  world.tasks.set(task.task_id, task);
  campaign.tasks.push(task);
  campaign.counts[task.task_rating] += 1;
  if (task.task_rating === 'REVISE') world.awaiting_correction.set(task.task_id, fields.finished);
  return task;
}

/**
 * Moves a task to a rating and updates the campaign's counts, the worker's pay and the history. Nothing else
 * changes `task_rating`.
 */
export function moveTask(
  world: World,
  campaign: Campaign,
  task: Task,
  to: { by: TaskEvent['by']; rating: Rating; comment?: string; bonus?: Money | undefined; at: number },
): void {
  const { task_rating, employer_comment, proof, finished } = task;
  task.earlier = [...task.earlier, { until: to.at, task_rating, employer_comment, proof, finished }];
  campaign.counts[task.task_rating] -= 1;
  campaign.counts[to.rating] += 1;
  task.task_rating = to.rating;
  if (to.comment !== undefined) task.employer_comment = to.comment;
  task.worker_earned = to.rating === 'OK' ? campaign.payment_per_task : nothing;
  if (to.bonus) task.bonus_worker_earned = to.bonus;
  task.history.push({
    at: to.at,
    by: to.by,
    task_rating: to.rating,
    comment: to.comment ?? '',
    bonus: to.bonus?.toFixed(5) ?? '',
  });
  if (to.rating === 'REVISE') world.awaiting_correction.set(task.task_id, to.at);
  else world.awaiting_correction.delete(task.task_id);
}

/** Applies the worker's correction to a task in REVISE: the same id waits for a rating again, with the new proof. */
export function correctTask(world: World, campaign: Campaign, task: Task, proof: string[], at: number): void {
  moveTask(world, campaign, task, { by: 'worker', rating: 'NOTRATED', at });
  task.proof = proof;
  task.finished = at;
}

/** Sets a campaign's status; `byItself` lets it leave PENDING_REVIEW and PENDING_RESTART after a while. */
export function moveCampaign(campaign: Campaign, status: CampaignStatus, at: number, byItself = false): void {
  campaign.campaign_status = status;
  campaign.status_since = at;
  campaign.moves_by_itself = byItself;
  if (status === 'FINISHED') campaign.finished = at;
}

/** Returns how many positions are free, including those of refused tasks. */
export function freePositions(campaign: Campaign): number {
  return campaign.available_positions - (campaign.tasks.length - campaign.counts.NOK);
}

/** Finishes a running campaign if all its positions are taken. */
export function finishIfFull(campaign: Campaign, at: number): void {
  if (campaign.campaign_status === 'RUNNING' && freePositions(campaign) <= 0)
    moveCampaign(campaign, 'FINISHED', at);
}

/** Moves campaigns from PENDING_REVIEW and PENDING_RESTART to RUNNING after the delays in the settings. */
export function advance(
  world: World,
  delays: { reviewSeconds: number; restartSeconds: number },
  now: number,
): void {
  for (const campaign of world.campaigns.values()) {
    if (!campaign.moves_by_itself) continue;
    const delay =
      campaign.campaign_status === 'PENDING_REVIEW' ? delays.reviewSeconds : delays.restartSeconds;
    if (now >= campaign.status_since + delay * 1000) moveCampaign(campaign, 'RUNNING', now);
  }
}

/** The fields of a task that change over time. */
export type TaskView = Pick<Task, 'task_rating' | 'employer_comment' | 'proof' | 'finished'>;

/** Returns a task as it was at a given time; undefined if it was not submitted yet. */
export function taskAsOf(task: Task, at: number): TaskView | undefined {
  if ((task.history[0]?.at ?? 0) > at) return undefined;
  return task.earlier.find(({ until }) => until > at) ?? task;
}

/** Returns how many tasks of a campaign had each rating at a given time. */
export function countsAsOf(campaign: Campaign, at: number): Readonly<Record<Rating, number>> {
  const counts: Record<Rating, number> = { NOTREVIEWED: 0, NOTRATED: 0, OK: 0, NOK: 0, REVISE: 0 };
  for (const task of campaign.tasks) {
    const seen = taskAsOf(task, at);
    if (seen !== undefined) counts[seen.task_rating] += 1;
  }
  return counts;
}
