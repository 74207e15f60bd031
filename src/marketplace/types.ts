import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type * as z from 'zod';
import type { Money } from '../domain/money.ts';
import type { CampaignId, CampaignStatus, Rating, TaskId, Verdict, WorkerId } from '../domain/terms.ts';
import type { MarketplaceErrorCode, TransportErrorKind } from './errors.ts';
import type { ResultsProblem } from './results-problems.ts';
import type * as schemas from './schemas.ts';

/** What a schema reads. */
type Read<Name extends keyof typeof schemas> = z.output<(typeof schemas)[Name]>;

/** The same with its datetime as a time; undefined when it has none. */
export type Dated<Item, Field extends keyof Item> = Omit<Item, Field> & {
  readonly [Name in Field]: Date | undefined;
};

/** The last argument of every call. `deadlineMs` covers the whole call, waiting and retries included. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

/** How many items of a list were readable, and how many it has by its own count. */
export interface ListShortfall {
  readonly read: number;
  readonly expected: number;
  /** Titles and ids of those that were not readable, where they have any. */
  readonly unreadable: readonly string[];
}

/** Options for reading a list. */
export interface ListOptions extends CallOptions {
  /** Called when the list is incomplete: an item that is not in it may still exist. */
  readonly onIncomplete?: (shortfall: ListShortfall) => void;
}

/** Options for reading a campaign's results. */
export interface ResultsOptions extends CallOptions {
  /**
   * Creates a taker that receives the results instead of `rows`: for files too large to be held as rows. Called for each
   * attempt, since one that broke off has already passed on a part. An error thrown by a taker ends the call and is rethrown
   * unchanged.
   */
  readonly into?: () => ResultsTaker;
}

/** An item that was left out of a list because it could not be parsed. */
export interface Skipped {
  readonly endpoint: string;
  /** Position in the list as sent, from 0. */
  readonly index: number;
  readonly issues: string[];
}

/** The result of one request; `status` is undefined when there was no answer. */
export interface RequestInfo {
  readonly endpoint: string;
  readonly status: number | undefined;
  /** `refused` by the service, or why there was no usable answer. */
  readonly result: 'ok' | 'refused' | TransportErrorKind;
  readonly ms: number;
  /** From 1. */
  readonly attempt: number;
}

/** The connections of one key, and their limits. */
export interface ConnectionOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly keyHeader?: string;
  /**
   * The connections to use, which clients of several keys may share: a dispatcher of undici, such as a `Pool`. Its
   * creator closes it, after the clients. By default a client has its own connections.
   */
  readonly dispatcher?: Dispatcher;
  /** Maximum number of concurrent requests. */
  readonly concurrency?: number;
  readonly requestsPerSecond?: number;
  readonly deadlineMs?: number;
  readonly onRequest?: (info: RequestInfo) => void;
}

export interface MarketplaceClientOptions extends ConnectionOptions {
  /** Mark of an excluded country in a retarget. */
  readonly excludeMark?: string;
  /** IANA zone of the service's datetimes. */
  readonly timeZone?: string;
  readonly onSkipped?: (skipped: Skipped) => void;
}

/** A file to upload. */
export interface UploadFile {
  readonly filename: string;
  readonly contentType: string;
  readonly stream: Readable;
  /** Bytes. */
  readonly size: number;
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

/** A new campaign, and its cost if the service says so. */
export interface CreatedCampaign {
  readonly campaignId: CampaignId;
  readonly cost?: Money;
}

/** "Campaign summary" of the API, item of list_extend (section 7). */
export type CampaignSummary = Dated<Read<'campaignSummary'>, 'createdAt'>;

/** "Campaign tuple" of the API (section 15). */
export type CampaignEntry = Read<'campaignTuple'>;

export interface CampaignFilter {
  readonly status?: CampaignStatus;
  readonly folder?: 'DEFAULT' | 'ARCHIVE';
}

export type ProofFile = Read<'proofFile'>;

/** "Task detail" of the API (section 4). */
export type TaskInfo = Dated<Omit<Read<'taskDetail'>, 'fileProof'>, 'finishedAt'> & {
  readonly taskId: TaskId;
  readonly files: readonly ProofFile[];
  /** `status` of file_proof as sent, empty without one: see {@link isFileProofStatusFine}. */
  readonly fileProofStatus: string;
};

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
  /** CAMPAIGN_TITLE, TASKS_OK and the other key,value lines above the rows. */
  readonly preamble: Readonly<Record<string, string>>;
  /** Empty when they went to a taker. */
  readonly rows: readonly ResultRow[];
  /** Why the results are incomplete; empty when they are complete. */
  readonly problems: readonly ResultsProblem[];
  /** Tasks with several rows that contradict each other: they are not in `rows`. */
  readonly doubtful: ReadonlySet<TaskId>;
  /** Number of tasks by rating, without the doubtful ones. */
  readonly counts: Readonly<Record<Rating, number>>;
  /** Bytes of the answer as received, which is usually compressed. */
  readonly wireBytes: number;
}

/** "Message" of the API, as listed (section 5). */
export type MessageSummary = Dated<Read<'messageSummary'>, 'sentAt'>;

/** "Message" of the API, as read (section 6). */
export type Message = Dated<Read<'message'>, 'sentAt'>;

export interface MessageFilter {
  readonly folder?: MessageSummary['folder'];
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
  readonly code: MarketplaceErrorCode;
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
export type ListedUser = Read<'listedUser'>;

/** Country codes of a campaign's targeting, with includes and excludes separate. */
export interface Targeting {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** A proof file that is arriving. Read it or destroy it: until then it occupies one of the client's connections. */
export interface FileDownload {
  readonly stream: Readable;
  /** Bytes, if the service reports them. */
  readonly size?: number;
}

/** "Worker task row" of the API (section 21). */
export type WorkerTask = Dated<Read<'workerTask'>, 'finishedAt'>;

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
export type Pager = Read<'pager'>;
