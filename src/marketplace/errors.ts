import type { Money } from '../domain/money.ts';
import { keyErrorTexts } from './api-assumptions.ts';

/** The parsed varying parts of the texts that have them. */
export interface ErrorDetails {
  /** NEXT_RETARGET: when a retarget is possible again. */
  readonly nextRetargetAt?: Date;
  /** UNKNOWN_COUNTRY_CODE. */
  readonly unknownCountry?: string;
  /** COUNTRIES_NOT_AVAILABLE. */
  readonly unavailableCountries?: readonly string[];
}

/** The service answered with a refusal ("Errors" of the API): nothing was changed. Never holds the key. */
export class MarketplaceError extends Error {
  override readonly name = 'MarketplaceError';
  declare readonly operation: string;
  declare readonly code: MarketplaceErrorCode;
  declare readonly text: string;
  declare readonly errorsList: readonly string[];
  declare readonly errors: readonly string[];
  declare readonly details: ErrorDetails;
  declare readonly minPaymentPerTask?: Money;

  constructor({
    errorsList = [],
    errors = [],
    details = {},
    ...refusal
  }: Pick<MarketplaceError, 'operation' | 'code' | 'text'> &
    Partial<Pick<MarketplaceError, 'errorsList' | 'errors' | 'details' | 'minPaymentPerTask'>>) {
    const more = [...errorsList, ...errors].filter((text) => text !== refusal.text);
    super(`${refusal.operation}: ${[refusal.text, ...more].join('; ')}`);
    Object.assign(this, refusal, { errorsList, errors, details });
  }

  /** Returns the codes of `errorsList` and `errors`, in order. */
  get problems(): MarketplaceErrorCode[] {
    return [...this.errorsList, ...this.errors].map((text) => readErrorText(text).code);
  }

  /** Returns whether the key is at fault, not the request. */
  get isAuthentication(): boolean {
    return isAuthenticationCode(this.code);
  }
}

/**
 * - `timeout`: the deadline of the call expired;
 * - `connection`: no connection, or it broke;
 * - `http`: a status without an answer of the service's shape;
 * - `unreadable`: a body that does not match the API's description;
 * - `rate-limited`: asked to slow down, for longer than the call could wait;
 * - `aborted`: by the caller's signal, or because the client is closed.
 */
export type TransportErrorKind =
  | 'timeout'
  | 'connection'
  | 'http'
  | 'unreadable'
  | 'rate-limited'
  | 'aborted';

/** There was no usable answer. Never holds the key, nor the underlying error, which might. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  declare readonly operation: string;
  declare readonly kind: TransportErrorKind;
  /** Always false for reads. True for a write unless it certainly was not sent, or was certainly rejected. */
  declare readonly mayHaveBeenApplied: boolean;
  /** HTTP status, when there was one. */
  declare readonly status?: number | undefined;
  /** How long the service asked to wait, from now. */
  declare readonly retryAfterMs?: number | undefined;

  constructor({ reason, ...failure }: Omit<TransportError, keyof Error> & { readonly reason: string }) {
    super(`${failure.operation}: ${reason}`);
    Object.assign(this, failure);
  }
}

/** Returns the error of a search in an incomplete list: the item may exist even though it was not found. */
export function incompleteAnswer(operation: string): TransportError {
  return new TransportError({
    operation,
    kind: 'unreadable',
    reason: 'an answer that is not complete',
    mayHaveBeenApplied: false,
  });
}

/** A failed call: refused, or without a usable answer. */
export type CallFailure = MarketplaceError | TransportError;

export function isCallFailure(error: unknown): error is CallFailure {
  return error instanceof MarketplaceError || error instanceof TransportError;
}

/** Returns whether a write may or may not have been applied: it must not be repeated blindly. */
export function hasUnknownOutcome(error: CallFailure): boolean {
  return error instanceof TransportError ? error.mayHaveBeenApplied : error.code === 'SYSTEM_ERROR';
}

/**
 * Every error text of the marketplace API ("Errors"), and the texts about the key, as data: code ↔ texts.
 *
 * `<…>` stands for a part that varies; it is returned as `parameter`. Case, a full stop at the end, and a space or an
 * underscore between words make no difference: the API's own text has both `INPUT DATA` and `INPUT_DATA`.
 */
const groups = {
  /** Values of `error`. */
  request: {
    NO_CATEGORIES: 'NO CATEGORIES',
    NO_CAMPAIGNS: 'NO CAMPAIGNS',
    NO_MESSAGES: 'NO MESSAGES',
    NO_SUCH_CAMPAIGN: 'NO SUCH CAMPAIGN',
    NO_SUCH_TASK: 'NO SUCH TASK',
    NO_SUCH_MESSAGE: 'NO SUCH MESSAGE',
    NOT_A_CAMPAIGN_OWNER: 'NOT A CAMPAIGN OWNER',
    INPUT_DATA: 'INPUT DATA',
    NO_INPUT: 'NO INPUT',
    SYSTEM_ERROR: 'SYSTEM ERROR',
    TASK_NOT_IN_THIS_CAMPAIGN: 'TASK NOT IN THIS CAMPAIGN',
    ONLY_NOTRATED_TASK_CAN_BE_RATED: 'ONLY NOTRATED TASK CAN BE RATED',
    RATING_CAN_ONLY_BE_OK_OR_NOK: 'TASK RATING VALUE CAN ONLY BE OK OR NOK',
    COMMENT_MISSING: 'COMMENT TO WORKER MISSING',
    CAMPAIGN_IS_PAUSED_ADMIN: 'CAMPAIGN IS PAUSED_ADMIN',
    CAMPAIGN_IS_PENDING_REVIEW: 'CAMPAIGN IS PENDING_REVIEW',
    CAMPAIGN_NOT_FINISHED: 'CAMPAIGN NOT FINISHED',
    NEXT_RETARGET: 'NEXT RETARGET:<timestamp>',
    TOO_MANY_EXCLUDES: 'TOO MANY EXCLUDES (MAX <number>)',
    INCLUDES_NECESSARY: 'INCLUDES NECESSARY (MIN <number>)',
    UNKNOWN_COUNTRY_CODE: '"<cc>" IS UNKNOWN COUNTRY CODE',
    COUNTRIES_NOT_AVAILABLE: 'NOT ALL OF THE SELECTED COUNTRIES ARE AVAILABLE IN THIS ZONE:<list cc>',
    UNABLE_TO_DELETE_MESSAGE: 'UNABLE TO DELETE MESSAGE',
    WORKERS_NOT_FOUND: 'workers were not found in exclude list',
    NO_EMPLOYERS_ADDED: 'No employers were added to exclude list',
    NO_WORKERS_ADDED: 'No workers were added to exclude list',
    DOWNLOAD_ERROR: 'DOWNLOAD ERROR',
    NO_FILE_PROOF: 'NO FILE PROOF',
  },
  /** Further values of `error` of submit_file_proof. */
  submit: {
    UNKNOWN_WORKER: 'UNKNOWN WORKER',
    WORKER_RESTRICTED: 'Account has been restricted from doing any jobs.',
    PHONE_NOT_VALIDATED: 'Worker must validate phone number before doing any jobs.',
    JOB_NOT_RUNNING: 'This job is currently not running.',
    PROOF_REQUIRED: 'Proof is required.',
    CAMPAIGN_NOT_FOR_THIS_WORKER: 'Targetted campaign cannot be accepted by this user.',
    IP_NOT_IN_ACCEPTED_COUNTRIES: "User's IP isn't in any of accepted countries.",
    COUNTRY_EXCLUDED: "User's country is in excluded countries list.",
    IP_NOT_IN_ACCEPTED_COUNTRY: "User's IP is not in accepted country.",
    SUCCESS_RATE_TOO_LOW: "Worker's success rate is to low.",
    ALREADY_SUBMITTED: 'Worker already submitted this task.',
    SAME_IP_ALREADY_SUBMITTED: 'Worker with same IP already submitted this task.',
    VCODE_INCORRECT: 'VCODE is incorrect.',
    IP_DOES_NOT_MATCH: 'IP address does not match.',
    FILE_FORMAT_NOT_SUPPORTED: 'File format is not supported',
    FILE_HAS_VIRUS: 'File has a virus',
    FILE_UPLOAD_FAILURE: 'File upload failure',
  },
  /** Values of `errors_list`. */
  input: {
    FOLDER_INVALID: 'Folder has invalid value',
    UNREAD_INVALID: 'Unread has invalid value',
    STATUS_INVALID: 'Status has invalid value',
    RATING_INVALID: 'Rating has invalid value',
    DATE_FROM_INVALID: 'Date From is invalid datetime',
    DATE_TO_INVALID: 'Date To is invalid datetime',
    CREATED_FROM_INVALID: 'Created From is invalid datetime',
    CREATED_TO_INVALID: 'Created To is invalid datetime',
    RESTARTED_FROM_INVALID: 'Restarted From is invalid datetime',
    RESTARTED_TO_INVALID: 'Restarted To is invalid datetime',
    FINISHED_FROM_INVALID: 'Finished From is invalid datetime',
    FINISHED_TO_INVALID: 'Finished To is invalid datetime',
    PAGE_INVALID: 'Page is invalid',
    PAGE_TOO_SMALL: 'Page must be bigger than zero',
    ENTRIES_PER_PAGE_INVALID: 'Entries Per Page is invalid',
    ENTRIES_PER_PAGE_TOO_SMALL: 'Entries Per Page must be bigger than zero',
    ENTRIES_PER_PAGE_TOO_LARGE: 'Entries Per Page must be less or equal to <number>',
  },
  /** Per-task errors inside a successful rate_tasks answer. */
  task: {
    COMMENT_MISSING: 'comment IS MANDATORY',
    BONUS_OUT_OF_RANGE: 'Bonus you entered is outside allowed values',
    TASK_NOT_UNIQUE: 'id_task IS NOT UNIQUE',
    BALANCE_TOO_LOW: 'Your account balance is too low to add bonus',
  },
  /** Tokens in `errors` of new_campaign. */
  campaign: {
    POSITIONS: 'POSITIONS',
    AUTO_RATE: 'AUTO RATE',
  },
  /** About the key, anywhere in an answer. */
  authentication: keyErrorTexts,
} as const;

type Groups = typeof groups;
type KnownCode = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

/**
 * Every reason why the service refuses. PAYMENT_TOO_LOW is new_campaign's refusal that consists only of
 * `min_payment_per_task`; OTHER is a text that is not in the API's description.
 */
export type MarketplaceErrorCode = KnownCode | 'PAYMENT_TOO_LOW' | 'OTHER';

export type AuthenticationErrorCode = keyof typeof keyErrorTexts;

/** One row of the table. */
export interface KnownError {
  readonly code: MarketplaceErrorCode;
  /** Where the text occurs: in `error`, in `errors_list`, at a task, in `errors`, or about the key. */
  readonly group: keyof Groups;
  /** The API's own text, with `<…>` for the varying part. */
  readonly text: string;
}

/** Every code with its text: each must have a sentence for people. A code that occurs in two places has two rows. */
export const knownErrors: readonly KnownError[] = Object.entries(groups).flatMap(([group, errors]) =>
  Object.entries(errors).map(([code, text]) => ({
    code: code as KnownCode,
    group: group as keyof Groups,
    text,
  })),
);

const patterns = knownErrors.map(({ code, text }) => [code, patternOf(text)] as const);

/** Returns the code of a text. `parameter` is its varying part, where it has one. */
export function readErrorText(text: string): { code: MarketplaceErrorCode; parameter?: string } {
  const plain = plainText(text);
  for (const [code, pattern] of patterns) {
    const match = pattern.exec(plain);
    if (match) return match[1] === undefined ? { code } : { code, parameter: match[1].trim() };
  }
  return { code: 'OTHER' };
}

/** Finds a text about the key anywhere in a body of unknown shape. */
export function findAuthenticationText(
  body: string,
): { code: AuthenticationErrorCode; text: string } | undefined {
  const plain = plainText(body).toUpperCase();
  for (const [code, text] of Object.entries(keyErrorTexts)) {
    if (plain.includes(text)) return { code: code as AuthenticationErrorCode, text };
  }
  return undefined;
}

/** Returns whether a code is about the key, not about the request. */
export function isAuthenticationCode(code: string): code is AuthenticationErrorCode {
  return Object.hasOwn(keyErrorTexts, code);
}

function plainText(text: string): string {
  return text
    .replace(/[‘’]|&#0?39;|&apos;/gu, "'")
    .replace(/[“”]|&quot;/gu, '"')
    .replace(/\s+/gu, ' ')
    .trim();
}

function patternOf(text: string): RegExp {
  const source = plainText(text)
    .split(/<[^>]+>/u)
    .map((part) =>
      part
        .replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')
        .replace(/[ _]/gu, '[ _]')
        .replace(/:$/u, ' ?:'),
    )
    .join('(.*?)')
    .replace(/\\\.$/u, '');
  return new RegExp(`^${source}\\.?$`, 'iu');
}
