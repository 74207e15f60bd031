import { formatMoney, type Money } from '../domain/money.ts';
import { keyErrorTexts } from './api-assumptions.ts';
import type { RatingProblem } from './types.ts';

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
    super(`${refusal.operation}: ${[refusal.text, ...errorsList, ...errors].join('; ')}`);
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

/** How the varying parts of a sentence are formatted where it is shown. */
interface Format {
  /** Formats a time (milliseconds since 1970). */
  readonly date: (at: number) => string;
  /** Escapes a text of the marketplace. */
  readonly quote: (text: string) => string;
}

/** The parts of a refusal that a sentence needs besides its code. */
type Refused = Pick<MarketplaceError, 'text' | 'details' | 'errorsList' | 'minPaymentPerTask'>;

type Sentence = string | ((refused: Refused, format: Format) => string);

/** Every refusal as a sentence for people: what happened, then what to do. A code without one does not compile. */
const sentences: Readonly<Record<MarketplaceErrorCode, Sentence>> = {
  NO_CATEGORIES: 'The marketplace has no categories right now. Try again later.',
  NO_CAMPAIGNS: 'No campaigns match. Change the filter, or create one.',
  NO_MESSAGES: 'No messages match. Look in another folder, or at other dates.',
  NO_SUCH_CAMPAIGN:
    'The marketplace does not know this campaign, or it belongs to another account. Check the id with /campaign list.',
  NO_SUCH_TASK: 'The marketplace no longer knows this task. There is nothing left to do here.',
  NO_SUCH_MESSAGE: 'The marketplace no longer knows this message. Use /inbox to see the messages it has.',
  NOT_A_CAMPAIGN_OWNER:
    'This belongs to a campaign of another account. Connect with that account’s key: /proofdesk connect.',
  INPUT_DATA: (refused, format) =>
    `The marketplace rejected what was sent${listed(refused, format)}. Correct it and try again.`,
  NO_INPUT: 'The marketplace received no countries. Include at least one.',
  SYSTEM_ERROR: 'The marketplace had a system error. Check whether the change was made before you try again.',
  TASK_NOT_IN_THIS_CAMPAIGN:
    'The marketplace says that this task belongs to another campaign. Nothing was rated. Rate it on the website.',
  ONLY_NOTRATED_TASK_CAN_BE_RATED:
    'The task already has a rating, and ratings cannot be changed. There is nothing left to do.',
  RATING_CAN_ONLY_BE_OK_OR_NOK:
    'The marketplace accepts only OK or NOK for this task. Rate it OK, or NOK with a reason.',
  COMMENT_MISSING: 'The worker must be told why. Write a comment and try again.',
  CAMPAIGN_IS_PAUSED_ADMIN:
    'The marketplace has paused the campaign, so it takes no ratings. Ask the marketplace when it resumes.',
  CAMPAIGN_IS_PENDING_REVIEW:
    'The marketplace is still reviewing the campaign, so it takes no ratings. Try again after the review.',
  CAMPAIGN_NOT_FINISHED: (refused, format) =>
    `Only a finished campaign can be restarted, and this one is not finished${listed(refused, format)}. Try again when it is.`,
  NEXT_RETARGET: ({ details }, format) =>
    details.nextRetargetAt === undefined
      ? 'The countries of this campaign were changed recently, and the marketplace requires a wait between changes. Try again later.'
      : `The countries of this campaign were changed recently. They can be changed again from ${format.date(details.nextRetargetAt.getTime())}: try again then.`,
  TOO_MANY_EXCLUDES: 'Too many countries are excluded. Exclude at most 10.',
  INCLUDES_NECESSARY: 'No country is included. Include at least one.',
  UNKNOWN_COUNTRY_CODE: ({ details }, format) =>
    `The marketplace does not know the country code ${format.quote(details.unknownCountry ?? '')}. Remove it, or choose the country by name.`,
  COUNTRIES_NOT_AVAILABLE: ({ details }, format) => {
    const codes = (details.unavailableCountries ?? []).map(format.quote).join(', ');
    return `Some countries are not available in the zone of this campaign${codes === '' ? '' : `: ${codes}`}. Remove them and try again.`;
  },
  UNABLE_TO_DELETE_MESSAGE: 'The marketplace could not move this message to the trash. Try again later.',
  WORKERS_NOT_FOUND: 'None of these workers is on the exclude list. Check the worker ids.',
  NO_EMPLOYERS_ADDED: 'No employer was added: they are already on the list, or unknown. Check the ids.',
  NO_WORKERS_ADDED: 'No worker was added: they are already on the exclude list, or unknown. Check the ids.',
  DOWNLOAD_ERROR:
    'The marketplace could not send this file. Try again. If it keeps failing, look at it on the website.',
  NO_FILE_PROOF: 'The marketplace has no such file for this task. Rate the task by the rest of its proof.',

  UNKNOWN_WORKER: 'The marketplace does not know this worker. Check the worker id.',
  WORKER_RESTRICTED:
    'The marketplace does not let this worker do any tasks at the moment. Submit for another worker.',
  PHONE_NOT_VALIDATED:
    'This worker must confirm a phone number before doing jobs. Ask them to, then submit again.',
  JOB_NOT_RUNNING: 'The campaign is not running, so nothing can be submitted. Submit again when it is.',
  PROOF_REQUIRED: 'The proof is missing. Fill it in and submit again.',
  CAMPAIGN_NOT_FOR_THIS_WORKER:
    'The campaign is targeted, and this worker cannot take it. Submit for a worker who can.',
  IP_NOT_IN_ACCEPTED_COUNTRIES:
    'The IP address is in none of the campaign’s countries. Check the address, or change the countries.',
  COUNTRY_EXCLUDED:
    'The campaign excludes this worker’s country. Submit for another worker, or change the countries.',
  IP_NOT_IN_ACCEPTED_COUNTRY: 'The IP address is not in the accepted country. Check the worker’s address.',
  SUCCESS_RATE_TOO_LOW: 'This worker’s success rate is too low for the campaign. Submit for another worker.',
  ALREADY_SUBMITTED: 'This worker has already submitted this task. There is nothing left to do.',
  SAME_IP_ALREADY_SUBMITTED:
    'A worker with the same IP address has already submitted this task. Check the address.',
  VCODE_INCORRECT: 'The verification code in the proof is wrong. Correct the proof.',
  IP_DOES_NOT_MATCH: 'The IP address does not match the worker’s. Check the address.',
  FILE_FORMAT_NOT_SUPPORTED: 'The marketplace does not accept files of this type. Choose another file.',
  FILE_HAS_VIRUS: 'The marketplace found a virus in the file and rejected it. Choose another file.',
  FILE_UPLOAD_FAILURE: 'The file did not reach the marketplace. Try again.',

  FOLDER_INVALID: 'The marketplace does not know this folder. Choose one from the list.',
  UNREAD_INVALID: 'The marketplace did not understand the choice of read or unread. Choose again.',
  STATUS_INVALID: 'The marketplace does not know this status. Choose one from the list.',
  RATING_INVALID: 'The marketplace does not know this rating. Choose one from the list.',
  DATE_FROM_INVALID: 'The marketplace cannot read the first date. Choose another.',
  DATE_TO_INVALID: 'The marketplace cannot read the last date. Choose another.',
  CREATED_FROM_INVALID: 'The marketplace cannot read the first creation date. Choose another.',
  CREATED_TO_INVALID: 'The marketplace cannot read the last creation date. Choose another.',
  RESTARTED_FROM_INVALID: 'The marketplace cannot read the first restart date. Choose another.',
  RESTARTED_TO_INVALID: 'The marketplace cannot read the last restart date. Choose another.',
  FINISHED_FROM_INVALID: 'The marketplace cannot read the first finish date. Choose another.',
  FINISHED_TO_INVALID: 'The marketplace cannot read the last finish date. Choose another.',
  PAGE_INVALID: 'There is no such page. Go back to the first one.',
  PAGE_TOO_SMALL: 'Pages start at 1. Go back to the first one.',
  ENTRIES_PER_PAGE_INVALID: 'The number of entries per page is not a number. Choose 1 to 200.',
  ENTRIES_PER_PAGE_TOO_SMALL: 'A page needs at least one entry. Choose 1 to 200.',
  ENTRIES_PER_PAGE_TOO_LARGE: 'That is too many entries for one page. Choose 1 to 200.',

  BONUS_OUT_OF_RANGE:
    'The bonus must be between a tenth of the payment and twice the payment. Choose another.',
  TASK_NOT_UNIQUE: 'The same task was sent twice at once. Try again.',
  BALANCE_TOO_LOW: 'The account’s balance is too low for the bonus. Leave it out, or add funds first.',

  POSITIONS: 'The number of positions is not valid. Enter a whole number above 0.',
  AUTO_RATE: 'The choice of automatic rating is not valid. Choose another.',
  PAYMENT_TOO_LOW: ({ minPaymentPerTask }) =>
    `The payment is too low for this category and zone. Pay at least ${minPaymentPerTask === undefined ? 'its minimum' : formatMoney(minPaymentPerTask)} per task.`,

  API_KEY_WRONG:
    'The marketplace does not accept the account’s key: it may have been revoked or replaced. Connect a new key with /proofdesk connect.',
  API_NOT_ENABLED:
    'The marketplace has not enabled its API for this account. Ask the marketplace to enable it, then try again.',
  API_ACCESS_IP_DENIED:
    'The marketplace does not accept this server’s IP address. Ask Proofdesk’s operator to have it allowed.',
  API_FUNCTION_DOES_NOT_EXIST:
    'The marketplace does not offer this function. Ask Proofdesk’s operator to check the marketplace’s address.',

  OTHER: ({ text }, format) =>
    text.trim() === ''
      ? 'The marketplace rejected this without a reason. Try again later.'
      : `The marketplace rejected this: ${format.quote(text.trim().replace(/\.+$/u, ''))}. Correct what it names, or try again later.`,
};

/**
 * Returns the message to people about a failed call, in plain English: what happened, then what to do.
 * @param formatDate formats a time (ms since 1970); by default in UTC
 * @param quote escapes texts of the marketplace for where the sentence is shown; by default they stay unchanged
 */
export function sentenceFor(
  error: MarketplaceError | TransportError,
  formatDate: (at: number) => string = utc,
  quote: (text: string) => string = asItIs,
): string {
  if (error instanceof TransportError) return transportSentence(error, formatDate);
  return render(error.code, error, { date: formatDate, quote });
}

/** Returns the message to people about a refusal of which only the code is known; undefined when that is not enough. */
export function sentenceForCode(code: string): string | undefined {
  const sentence = Object.hasOwn(sentences, code) ? sentences[code as MarketplaceErrorCode] : undefined;
  return typeof sentence === 'string' ? sentence : undefined;
}

/** Returns the message to people when one entry of rate_tasks was not rated ("Per-task errors"). */
export function sentenceForProblem({ code, text }: RatingProblem): string {
  return render(code, { text, details: {}, errorsList: [] }, { date: utc, quote: asItIs });
}

function render(code: MarketplaceErrorCode, refused: Refused, format: Format): string {
  const sentence = sentences[code];
  return typeof sentence === 'string' ? sentence : sentence(refused, format);
}

const failures = {
  timeout: 'took too long to answer',
  connection: 'cannot be reached right now',
  http: 'gave an answer that could not be read',
  unreadable: 'gave an answer that could not be read',
  'rate-limited': 'asks for a pause',
} as const;

function transportSentence(
  { kind, mayHaveBeenApplied, retryAfterMs }: TransportError,
  formatDate: (at: number) => string,
): string {
  if (mayHaveBeenApplied)
    return 'The marketplace gave no answer, so it is not known whether the change was made. Check before you try again.';
  if (kind === 'aborted') return 'The app was shutting down, so this was not done. Try again in a minute.';
  const when = retryAfterMs === undefined ? 'in a minute' : `from ${formatDate(Date.now() + retryAfterMs)}`;
  return `The marketplace ${failures[kind]}. Nothing was changed. Try again ${when}.`;
}

/** Returns the texts of errors_list, in brackets; the API describes them for some operations only. */
function listed({ errorsList }: Refused, { quote }: Format): string {
  const texts = errorsList.map((text) => text.trim()).filter((text) => text !== '');
  return texts.length === 0 ? '' : ` (${texts.map(quote).join('; ')})`;
}

function asItIs(text: string): string {
  return text;
}

function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
