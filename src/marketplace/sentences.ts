import { formatMoney } from '../domain/money.ts';
import { type MarketplaceError, type MarketplaceErrorCode, TransportError } from './errors.ts';
import type { RatingProblem } from './types.ts';

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

function transportSentence(error: TransportError, formatDate: (at: number) => string): string {
  if (error.mayHaveBeenApplied) {
    return 'The marketplace gave no answer, so it is not known whether the change was made. Check before you try again.';
  }
  switch (error.kind) {
    case 'timeout':
      return 'The marketplace took too long to answer. Nothing was changed. Try again in a minute.';
    case 'connection':
      return 'The marketplace cannot be reached right now. Nothing was changed. Try again in a minute.';
    case 'http':
    case 'unreadable':
      return 'The marketplace gave an answer that could not be read. Nothing was changed. Try again in a minute.';
    case 'rate-limited':
      return error.retryAfterMs === undefined
        ? 'The marketplace asks for a pause. Nothing was changed. Try again in a minute.'
        : `The marketplace asks for a pause. Nothing was changed. Try again from ${formatDate(Date.now() + error.retryAfterMs)}.`;
    case 'aborted':
      return 'The app was shutting down, so this was not done. Try again in a minute.';
  }
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
