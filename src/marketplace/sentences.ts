import { formatMoney } from '../domain/money.ts';
import type { MarketplaceErrorCode } from './error-texts.ts';
import { type MarketplaceError, TransportError } from './errors.ts';
import type { RatingProblem } from './types.ts';

/** How the varying parts of a sentence are written where it is going to be shown. */
interface Writing {
  /** A moment, in milliseconds since 1970. */
  readonly date: (at: number) => string;
  /** Words that are not ours. */
  readonly quote: (text: string) => string;
}

/** What the sentences need to know of a refusal besides its code. */
type Refused = Pick<MarketplaceError, 'text' | 'details' | 'errorsList' | 'minPaymentPerTask'>;

type Sentence = string | ((refused: Refused, write: Writing) => string);

/** Every refusal as a sentence for people: what happened, then what to do. A code without one does not compile. */
const sentences: Readonly<Record<MarketplaceErrorCode, Sentence>> = {
  NO_CATEGORIES: 'The marketplace has no categories at present. Try again later.',
  NO_CAMPAIGNS: 'There are no campaigns like that. Look for others, or create one.',
  NO_MESSAGES: 'There are no messages like that. Look in another folder or at other dates.',
  NO_SUCH_CAMPAIGN:
    'The marketplace does not know this campaign, or it belongs to another account. Check the id with /campaign list.',
  NO_SUCH_TASK: 'The marketplace does not know this task any more. Nothing can be done about it here.',
  NO_SUCH_MESSAGE: 'The marketplace does not know this message any more. Look at /inbox for those it has.',
  NOT_A_CAMPAIGN_OWNER:
    'This belongs to a campaign of another account. Connect with the key of that account: /proofdesk connect.',
  INPUT_DATA: (refused, write) =>
    `The marketplace did not accept what was sent${listed(refused, write)}. Correct it and try again.`,
  NO_INPUT: 'The marketplace got no countries. Name at least one country to include.',
  SYSTEM_ERROR:
    'The marketplace had a fault of its own. Look at how things stand, then try again in a few minutes.',
  TASK_NOT_IN_THIS_CAMPAIGN:
    'The marketplace says that this task belongs to another campaign. Nothing was rated; rate it on the website.',
  ONLY_NOTRATED_TASK_CAN_BE_RATED:
    'The task has a rating already, and a rating cannot be changed. Nothing is left to do.',
  RATING_CAN_ONLY_BE_OK_OR_NOK:
    'The marketplace takes only OK or NOK for this task. Rate it OK, or NOK with a reason.',
  COMMENT_MISSING: 'The worker must be told why. Write a comment and try again.',
  CAMPAIGN_IS_PAUSED_ADMIN:
    'The campaign is paused by an administrator of the marketplace, and takes no ratings. Ask the marketplace when it goes on.',
  CAMPAIGN_IS_PENDING_REVIEW:
    'The marketplace is still reviewing the campaign, and takes no ratings. Try again when the review has ended.',
  CAMPAIGN_NOT_FINISHED: (refused, write) =>
    `Only a finished campaign can be restarted, and this one is not finished${listed(refused, write)}. Try again when all its positions are done.`,
  NEXT_RETARGET: ({ details }, write) =>
    details.nextRetargetAt === undefined
      ? 'The countries of this campaign were changed a short time ago, and the marketplace wants a wait in between. Try again later.'
      : `The countries of this campaign were changed a short time ago. They can be changed again from ${write.date(details.nextRetargetAt.getTime())}: try again then.`,
  TOO_MANY_EXCLUDES: 'Too many countries are excluded. Exclude 10 at the most.',
  INCLUDES_NECESSARY: 'No country is included. Include at least one.',
  UNKNOWN_COUNTRY_CODE: ({ details }, write) =>
    `The marketplace does not know the country code ${write.quote(details.unknownCountry ?? '')}. Take it out, or choose the country by its name.`,
  COUNTRIES_NOT_AVAILABLE: ({ details }, write) => {
    const codes = (details.unavailableCountries ?? []).map(write.quote).join(', ');
    return `Not every country can be had in the zone of this campaign${codes === '' ? '' : `: ${codes}`}. Take out those that cannot, and try again.`;
  },
  UNABLE_TO_DELETE_MESSAGE: 'The marketplace could not move this message to the trash. Try again later.',
  WORKERS_NOT_FOUND: 'None of these workers is on the exclude list. Check the worker ids.',
  NO_EMPLOYERS_ADDED: 'No employer was added: they are on the list already, or unknown. Check the ids.',
  NO_WORKERS_ADDED: 'No worker was added: they are on the exclude list already, or unknown. Check the ids.',
  DOWNLOAD_ERROR:
    'The marketplace could not hand out this file. Try again; if it stays so, look at it on the website.',
  NO_FILE_PROOF: 'The marketplace has no such file for this task. Rate it by what else was handed in.',

  UNKNOWN_WORKER: 'The marketplace does not know this worker. Check the worker id.',
  WORKER_RESTRICTED: 'The marketplace lets this worker do no jobs at present. Submit for another worker.',
  PHONE_NOT_VALIDATED:
    'This worker must confirm a phone number before doing jobs. Ask them to, then submit again.',
  JOB_NOT_RUNNING: 'The campaign is not running, so nothing can be submitted. Submit when it runs.',
  PROOF_REQUIRED: 'The proof is missing. Fill it in and submit again.',
  CAMPAIGN_NOT_FOR_THIS_WORKER:
    'The campaign is targeted, and this worker cannot take it. Submit for a worker it is meant for.',
  IP_NOT_IN_ACCEPTED_COUNTRIES:
    'The IP address is in none of the countries of the campaign. Check the address, or change the countries.',
  COUNTRY_EXCLUDED:
    'The campaign excludes the country of this worker. Submit for another worker, or change the countries.',
  IP_NOT_IN_ACCEPTED_COUNTRY:
    'The IP address is not in the country that is accepted. Check the address of the worker.',
  SUCCESS_RATE_TOO_LOW:
    'The success rate of this worker is too low for the campaign. Submit for another worker.',
  ALREADY_SUBMITTED: 'This worker has submitted this task already. Nothing is left to do.',
  SAME_IP_ALREADY_SUBMITTED:
    'A worker with the same IP address has submitted this task already. Check the address.',
  VCODE_INCORRECT: 'The verification code in the proof is not the right one. Correct the proof.',
  IP_DOES_NOT_MATCH: 'The IP address is not that of the worker. Check the address.',
  FILE_FORMAT_NOT_SUPPORTED: 'The marketplace does not take files of this kind. Choose another file.',
  FILE_HAS_VIRUS: 'The marketplace found a virus in the file, and did not take it. Choose another file.',
  FILE_UPLOAD_FAILURE: 'The file did not arrive at the marketplace. Try again.',

  FOLDER_INVALID: 'The marketplace does not know this folder. Choose one of those offered.',
  UNREAD_INVALID: 'The marketplace did not understand the choice of read or unread. Choose again.',
  STATUS_INVALID: 'The marketplace does not know this status. Choose one of those offered.',
  RATING_INVALID: 'The marketplace does not know this rating. Choose one of those offered.',
  DATE_FROM_INVALID: 'The first date is not one that the marketplace can read. Choose another.',
  DATE_TO_INVALID: 'The last date is not one that the marketplace can read. Choose another.',
  CREATED_FROM_INVALID:
    'The first date of creation is not one that the marketplace can read. Choose another.',
  CREATED_TO_INVALID: 'The last date of creation is not one that the marketplace can read. Choose another.',
  RESTARTED_FROM_INVALID:
    'The first date of restart is not one that the marketplace can read. Choose another.',
  RESTARTED_TO_INVALID: 'The last date of restart is not one that the marketplace can read. Choose another.',
  FINISHED_FROM_INVALID:
    'The first date of the end is not one that the marketplace can read. Choose another.',
  FINISHED_TO_INVALID: 'The last date of the end is not one that the marketplace can read. Choose another.',
  PAGE_INVALID: 'There is no such page. Go back to the first one.',
  PAGE_TOO_SMALL: 'Pages count from 1. Go back to the first one.',
  ENTRIES_PER_PAGE_INVALID: 'The number of entries on a page is not a number. Choose 1 to 200.',
  ENTRIES_PER_PAGE_TOO_SMALL: 'A page needs at least one entry. Choose 1 to 200.',
  ENTRIES_PER_PAGE_TOO_LARGE: 'That is too much for one page. Choose 1 to 200 entries.',

  BONUS_OUT_OF_RANGE:
    'The bonus is outside of what is allowed: a tenth of the payment to twice the payment. Choose another.',
  TASK_NOT_UNIQUE: 'The same task was sent twice in one go. Try again.',
  BALANCE_TOO_LOW: 'The balance of the account is too low for the bonus. Leave it out, or add funds first.',

  POSITIONS: 'The number of positions was not accepted. Enter a whole number above 0.',
  AUTO_RATE: 'The choice of automatic rating was not accepted. Choose another.',
  PAYMENT_TOO_LOW: ({ minPaymentPerTask }) =>
    `The payment is too low for this category and zone. Pay at least ${minPaymentPerTask === undefined ? 'its minimum' : formatMoney(minPaymentPerTask)} per task.`,

  API_KEY_WRONG:
    'The marketplace does not accept the key of the account. Connect with a valid one: /proofdesk connect.',
  API_NOT_ENABLED:
    'The marketplace has not enabled its API for this account. Ask the marketplace to enable it, then try again.',
  API_ACCESS_IP_DENIED:
    'The marketplace does not let this server in by its IP address. Ask your administrator to have the address allowed.',
  API_FUNCTION_DOES_NOT_EXIST:
    'The marketplace does not offer this to the account. Ask the marketplace, or your administrator to check its address.',

  OTHER: ({ text }, write) =>
    text.trim() === ''
      ? 'The marketplace refused, without saying why. Try again later.'
      : `The marketplace refused, and says: ${write.quote(text.trim().replace(/\.+$/u, ''))}. Correct what it names, or try again later.`,
};

/**
 * What people are told when a call has failed, in plain English: what happened, then what to do.
 * @param formatDate writes a moment (ms since 1970); by default in UTC
 * @param quote makes words of the marketplace harmless where the sentence is shown; by default they stay as they are
 */
export function sentenceFor(
  error: MarketplaceError | TransportError,
  formatDate: (at: number) => string = utc,
  quote: (text: string) => string = asItIs,
): string {
  if (error instanceof TransportError) return transportSentence(error, formatDate);
  return written(error.code, error, { date: formatDate, quote });
}

/** What people are told when one entry of rate_tasks was not rated ("Per-task errors"). */
export function sentenceForProblem({ code, text }: RatingProblem): string {
  return written(code, { text, details: {}, errorsList: [] }, { date: utc, quote: asItIs });
}

function written(code: MarketplaceErrorCode, refused: Refused, write: Writing): string {
  const sentence = sentences[code];
  return typeof sentence === 'string' ? sentence : sentence(refused, write);
}

function transportSentence(error: TransportError, formatDate: (at: number) => string): string {
  if (error.mayHaveBeenApplied) {
    return 'The marketplace gave no answer, so it is not known whether the change was made. Look at how things stand before you try again.';
  }
  switch (error.kind) {
    case 'timeout':
      return 'The marketplace took too long to answer. Nothing was changed; try again in a minute.';
    case 'connection':
      return 'The marketplace cannot be reached at present. Nothing was changed; try again in a minute.';
    case 'http':
    case 'unreadable':
      return 'The marketplace gave an answer that makes no sense, which mostly passes. Nothing was changed; try again in a minute.';
    case 'rate-limited':
      return error.retryAfterMs === undefined
        ? 'The marketplace asks for a pause. Nothing was changed; try again in a minute.'
        : `The marketplace asks for a pause. Nothing was changed; try again from ${formatDate(Date.now() + error.retryAfterMs)}.`;
    case 'aborted':
      return 'This was stopped before it was done, since the app is shutting down. Try again in a minute.';
  }
}

/** The texts of errors_list, in brackets; the API says what they are for some operations only. */
function listed({ errorsList }: Refused, { quote }: Writing): string {
  const texts = errorsList.map((text) => text.trim()).filter((text) => text !== '');
  return texts.length === 0 ? '' : ` (${texts.map(quote).join('; ')})`;
}

function asItIs(text: string): string {
  return text;
}

function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
