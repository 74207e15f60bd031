import type { Dispatcher } from 'undici';
import type { TaskId } from '../domain/terms.ts';
import type {
  CampaignEntry,
  CampaignFilter,
  CampaignResults,
  CampaignSummary,
  CreatedCampaign,
  FileDownload,
  ListChange,
  ListedUser,
  Message,
  MessageFilter,
  MessageSummary,
  NewCampaign,
  Pager,
  ParentCategory,
  RatedEntry,
  RatingEntry,
  ResultsTaker,
  Targeting,
  TaskInfo,
  UploadFile,
  WorkerTask,
  WorkerTaskFilter,
} from './types.ts';

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

/** Options for reading the list of campaigns. */
export interface CampaignListOptions extends ListOptions {
  /**
   * Returns whether an answer with this digest was read completely before. If so, it is not read again, and the list is
   * returned empty.
   */
  readonly isKnown?: (digest: string) => boolean;
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
  readonly ms: number;
  /** From 1. */
  readonly attempt: number;
}

export interface MarketplaceClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly keyHeader?: string;
  /** Mark of an excluded country in a retarget. */
  readonly excludeMark?: string;
  /** IANA zone of the service's datetimes. */
  readonly timeZone?: string;
  /**
   * The connections to use, which clients of several keys may share: a dispatcher of undici, such as a `Pool`. Its
   * creator closes it, after the clients. By default a client has its own connections.
   */
  readonly dispatcher?: Dispatcher;
  /** Maximum number of concurrent requests. */
  readonly concurrency?: number;
  readonly requestsPerSecond?: number;
  readonly deadlineMs?: number;
  readonly onSkipped?: (skipped: Skipped) => void;
  readonly onRequest?: (info: RequestInfo) => void;
}

/**
 * The employer API, one method per endpoint (section numbers are those of the API's "Endpoints").
 *
 * Every method rejects with `MarketplaceError` when the service refuses and with `TransportError` when there was no usable
 * answer. GETs are retried; writes only when they certainly were not sent, or not applied.
 */
export interface MarketplaceClient {
  /** Section 1. `MarketplaceError.errors` and `.minPaymentPerTask` tell what was wrong. */
  createCampaign(input: NewCampaign, options?: CallOptions): Promise<CreatedCampaign>;
  /** Section 2. */
  listCategories(options?: CallOptions): Promise<ParentCategory[]>;
  /**
   * Section 3. One answer per entry, in the order of the entries. Throws TypeError when some entries have a bonus (or
   * favorite) and others have none: the arrays of the request are matched by position.
   */
  rateTasks(
    campaignId: string,
    entries: readonly RatingEntry[],
    options?: CallOptions,
  ): Promise<RatedEntry[]>;
  /** Section 4. */
  getTaskInfo(taskId: string, options?: CallOptions): Promise<TaskInfo>;
  /** Section 5. NO MESSAGES is an empty list. */
  listMessages(filter?: MessageFilter, options?: ListOptions): Promise<MessageSummary[]>;
  /** Section 6. */
  readMessage(id: string, options?: CallOptions): Promise<Message>;
  /** Section 7. NO CAMPAIGNS is an empty list. */
  listCampaignsExtended(filter?: CampaignFilter, options?: CampaignListOptions): Promise<CampaignSummary[]>;
  /** Section 8. */
  submitFileProof(
    campaignId: string,
    input: { workerId: string; ip: string; proof: string; file?: UploadFile },
    options?: CallOptions,
  ): Promise<{ campaignId: string; taskId: TaskId }>;
  /** Section 9. */
  campaignResults(campaignId: string, options?: ResultsOptions): Promise<CampaignResults>;
  /** Section 10. Throws TypeError for REVISE, which goes through {@link rateTasks}. */
  rateTask(
    campaignId: string,
    entry: RatingEntry,
    options?: CallOptions,
  ): Promise<{ campaignId: string; taskId: string }>;
  /** Section 11. Returns the targeting as confirmed by the service. */
  retargetCampaign(
    campaignId: string,
    targeting: Targeting,
    options?: CallOptions,
  ): Promise<{ campaignId: string; retargeted: Targeting }>;
  /** Section 12. `positions`: how many to add. */
  restartCampaign(
    campaignId: string,
    positions: number,
    options?: CallOptions,
  ): Promise<{ campaignId: string; positionsAdded: number }>;
  /** Section 13, worker role. */
  listExcludedEmployers(options?: CallOptions): Promise<ListedUser[]>;
  /** Section 14, worker role. */
  listIncludedEmployers(options?: CallOptions): Promise<ListedUser[]>;
  /** Section 15. NO CAMPAIGNS is an empty list. */
  listCampaigns(options?: ListOptions): Promise<CampaignEntry[]>;
  /** Section 16. Moves to TRASH. */
  deleteMessage(id: string, options?: CallOptions): Promise<{ messageId: string }>;
  /** Section 17. `'all'` clears the whole list. */
  unexcludeWorkers(ids: readonly string[] | 'all', options?: CallOptions): Promise<ListChange>;
  /** Section 18, worker role. */
  excludeEmployers(ids: readonly string[], options?: CallOptions): Promise<ListChange>;
  /** Section 19. */
  excludeWorkers(ids: readonly string[], options?: CallOptions): Promise<ListChange>;
  /** Section 20. `index` from 1. The deadline covers the time until the file begins to arrive. */
  downloadFileProof(taskId: string, index: number, options?: CallOptions): Promise<FileDownload>;
  /** Section 21, worker role. */
  workerTasks(
    filter?: WorkerTaskFilter,
    options?: CallOptions,
  ): Promise<{ tasks: WorkerTask[]; pager: Pager }>;
  /** Waits for pending calls (for at most the deadline of a call) and rejects later ones. */
  close(): Promise<void>;
}
