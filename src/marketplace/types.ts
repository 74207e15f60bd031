import type { Readable } from 'node:stream';
import type { Money } from '../domain/money.ts';
import type {
  CampaignId,
  CampaignStatus,
  MessageId,
  Rating,
  TaskId,
  Verdict,
  WorkerId,
} from '../domain/terms.ts';
import type { RatingProblemCode } from './error-texts.ts';
import type { ResultsProblem } from './results-problems.ts';

/** A file to upload. It can be sent a second time only if its stream is a function. */
export interface UploadFile {
  readonly filename: string;
  readonly contentType?: string;
  readonly stream: Readable | (() => Readable);
  /** Bytes, when known: the service then learns the length of the whole body. */
  readonly size?: number;
}

/** Parameters of new_campaign (section 1). */
export interface NewCampaign {
  readonly title: string;
  readonly groupId?: string;
  readonly category: string;
  readonly minutesToFinish: number;
  readonly availablePositions: number;
  readonly maxPositionsPerWorker: number;
  readonly paymentPerTask: Money;
  readonly descriptionType: 'SAME' | 'UNIQUE';
  readonly requiredWork: string;
  /** One to three, one per proof slot. */
  readonly requiredProof: readonly string[];
  /** Time to rate, days, 1 to 30. */
  readonly ttr: number;
  readonly autoRate: 'NO' | 'V' | 'V+R';
  /** 0: no file proof; 1: optional; 2: required. */
  readonly fileProof: 0 | 1 | 2;
  readonly file?: UploadFile;
  /** Template variables: required when the description is UNIQUE. */
  readonly csv?: UploadFile;
  readonly qtRequired?: boolean;
}

/** Both success shapes of new_campaign: with its cost, or with the speeds. */
export interface CreatedCampaign {
  readonly campaignId: CampaignId;
  readonly cost?: Money;
  readonly speedPrevious?: string;
  readonly speedNew?: string;
}

/** "Category catalogue" of the API. */
export interface ParentCategory {
  readonly title: string;
  readonly categories: readonly Category[];
}

export interface Category {
  readonly id: string;
  readonly title: string;
  readonly minPaymentPerTask: readonly { readonly zone: string; readonly paymentPerTask: Money }[];
}

/** "Campaign summary" of the API, item of list_extend (section 7). */
export interface CampaignSummary {
  readonly id: CampaignId;
  readonly status: CampaignStatus;
  readonly title: string;
  readonly requiredWork: string;
  readonly requiredProof: string;
  readonly availablePositions: number;
  readonly createdAt: Date | undefined;
  /** As sent by the service: a text for people, not a list to parse. */
  readonly excludedCountries: string;
  readonly targetedCountries: string;
  readonly paymentPerTask: Money;
  readonly speed: string;
  readonly qtRequired: boolean;
  readonly tasksOk: number;
  readonly tasksNok: number;
  readonly tasksNotRated: number;
  readonly tasksNotReviewed: number;
}

/** "Campaign tuple" of the API (section 15). */
export interface CampaignEntry {
  readonly id: CampaignId;
  readonly title: string;
  readonly status: CampaignStatus;
}

export interface CampaignFilter {
  readonly status?: CampaignStatus;
  readonly folder?: 'DEFAULT' | 'ARCHIVE';
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  readonly restartedFrom?: Date;
  readonly restartedTo?: Date;
  readonly finishedFrom?: Date;
  readonly finishedTo?: Date;
}

/** A proof file of a task; `index` starts at 1 and is the one that downloadFileProof takes. `size` is in bytes. */
export interface ProofFile {
  readonly index: number;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
}

/** "Task detail" of the API (section 4). */
export interface TaskInfo {
  readonly taskId: TaskId;
  readonly campaignId: CampaignId;
  readonly workerId: WorkerId;
  readonly country: string;
  readonly ip: string;
  readonly csvRecordNr: string;
  readonly finishedAt: Date | undefined;
  /** Every slot as sent; unused ones are empty. */
  readonly proof: readonly string[];
  readonly files: readonly ProofFile[];
  /** `status` of file_proof as sent, empty without one: see {@link isFileProofStatusFine}. */
  readonly fileProofStatus: string;
  readonly rating: Rating;
  readonly employerComment: string;
  readonly workerEarned: Money;
  readonly bonusWorkerEarned: Money;
}

/** One task in a campaign's results CSV (section 9). */
export interface ResultRow {
  readonly row: string;
  readonly csvRow: string;
  readonly taskId: TaskId;
  readonly workerId: WorkerId;
  readonly username: string;
  readonly rating: Rating;
  readonly finishedAt: Date | undefined;
  readonly ip: string;
  readonly countryCode: string;
  /** PROOF_1, PROOF_2 … in order, as many as the file has. */
  readonly proof: readonly string[];
  readonly employerComment: string;
  readonly userAgent: string;
}

/**
 * Takes a campaign's results as they arrive. They must not be used until they are complete: only their end shows whether
 * they are the requested ones.
 */
export interface ResultsTaker {
  /** Takes the bytes of the CSV text. */
  readonly onCsv?: (bytes: Buffer) => Promise<void> | void;
  /** Takes rows in the order of the file, in batches. */
  readonly onRows?: (rows: readonly ResultRow[]) => Promise<void> | void;
}

export interface CampaignResults {
  readonly campaignId: string;
  /** CAMPAIGN_TITLE, TASKS_OK and the other key,value lines above the rows. */
  readonly preamble: Readonly<Record<string, string>>;
  /** Empty when they went to a taker. */
  readonly rows: readonly ResultRow[];
  /** How many rows were omitted; each was reported to `onSkipped`. */
  readonly skipped: number;
  /** Why the results are incomplete; empty when they are complete. */
  readonly problems: readonly ResultsProblem[];
  /** Tasks with several rows that contradict each other: they are not in `rows`. */
  readonly doubtful: ReadonlySet<TaskId>;
  /** Number of tasks by rating, without the doubtful ones. */
  readonly counts: Readonly<Record<Rating, number>>;
  /** Bytes of the CSV text, and of the answer as received, which is usually compressed. */
  readonly bytes: number;
  readonly wireBytes: number;
}

export type MessageFolder = 'INBOX' | 'SENT' | 'TRASH';

/** "Message" of the API, as listed (section 5). */
export interface MessageSummary {
  readonly id: MessageId;
  readonly type: string;
  readonly sentAt: Date | undefined;
  readonly folder: MessageFolder;
  readonly subject: string;
  readonly unread: boolean;
  readonly hasAttachment: boolean;
}

/** "Message" of the API, as read (section 6). */
export interface Message extends Omit<MessageSummary, 'unread'> {
  readonly body: string;
}

export interface MessageFilter {
  readonly folder?: MessageFolder;
  readonly from?: Date;
  readonly to?: Date;
  /** true: only unread; false: only read; absent: both. */
  readonly unread?: boolean;
}

/** One task to rate (sections 3 and 10). The comment is mandatory with NOK and REVISE. */
export interface RatingEntry {
  readonly taskId: string;
  readonly rating: Verdict;
  readonly comment: string;
  readonly bonus?: Money;
  readonly favorite?: 'add' | 'remove';
}

/** Why one entry of rate_tasks was not rated. */
export interface RatingProblem {
  readonly code: RatingProblemCode;
  /** The service's own text, or ours when there was no answer. */
  readonly text: string;
}

export interface RatedEntry {
  readonly taskId: string;
  readonly rating: Verdict;
  readonly success: boolean;
  readonly errors: readonly RatingProblem[];
  /** False when the answer does not mention this task: the rating may or may not have been applied. */
  readonly answered: boolean;
}

/** Employer in the worker's lists ("Employer / worker list entry" of the API). */
export interface ListedUser {
  readonly userId: string;
  readonly username: string;
  readonly country: string;
}

/** The answer of a call that changes a list: the service's text, and the number in it if any. */
export interface ListChange {
  readonly message: string;
  readonly count: number | undefined;
}

/** Country codes of a campaign's targeting, with includes and excludes separate. */
export interface Targeting {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** A proof file that is arriving. Read it or destroy it: until then it occupies one of the client's connections. */
export interface FileDownload {
  readonly stream: Readable;
  readonly filename: string;
  readonly contentType: string;
  /** Bytes, if the service reports them. */
  readonly size?: number;
}

/** "Worker task row" of the API (section 21). */
export interface WorkerTask {
  readonly taskId: TaskId;
  readonly campaignId: CampaignId;
  readonly campaignTitle: string;
  readonly workerId: WorkerId;
  readonly csvRecordNr: string;
  readonly ip: string;
  readonly finishedAt: Date | undefined;
  readonly proof: string;
  readonly hasFile: boolean;
  readonly rating: Rating;
  readonly employerComment: string;
  readonly workerEarned: Money;
  readonly bonusWorkerEarned: Money;
}

export interface WorkerTaskFilter {
  readonly rating?: Rating;
  readonly finishedFrom?: Date;
  readonly finishedTo?: Date;
  /** From 1. */
  readonly page?: number;
  /** 1 to 200. */
  readonly entriesPerPage?: number;
}

/** "Pager" of the API. */
export interface Pager {
  readonly currentPage: number;
  readonly entriesOnThisPage: number;
  readonly entriesPerPage: number;
  readonly first: number;
  readonly last: number;
  readonly firstPage: number;
  readonly lastPage: number;
  readonly nextPage: number | undefined;
  readonly previousPage: number | undefined;
  readonly totalEntries: number;
}
