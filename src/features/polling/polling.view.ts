import type { ListShortfall } from '../../marketplace/index.ts';
import { context, type Message, notice } from '../../slack/blocks.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import { counted } from '../../ui/words.ts';

/**
 * Returns the notice that polls fail.
 * @param why a sentence that says what to do
 * @param since when they began to fail (ms)
 * @param decisions number of decisions waiting to be sent
 */
export function pollingStopped(why: string, since: number, decisions: number): Message {
  const text = `:warning: New tasks and messages cannot be fetched right now. ${inline(why, 400)}`;
  const are = decisions === 1 ? 'is' : 'are';
  const waiting = decisions === 0 ? '' : `${counted(decisions, 'rating')} ${are} waiting to be sent. `;
  return told(
    text,
    `Down since ${date(since)}. ${waiting}Nothing is lost: ratings you make now are sent when it’s back. We’ll post here.`,
  );
}

export const noAnswer =
  'The marketplace isn’t answering. Proofdesk keeps trying. If this goes on, ask its operator to check the address (MARKETPLACE_BASE_URL).';

export const noKey =
  'This account has no working API key. Someone who has it can reconnect with `/proofdesk connect`.';

/** Returns the notice that polls work again. */
export function pollingResumed(since: number, until: number): Message {
  return told(
    `:white_check_mark: New tasks and messages are coming in again after an outage from ${date(since)} to ${date(until)}.`,
  );
}

/** Returns the notice that Slack accepts messages again. */
export function slackOutageOver(since: number, until: number): Message {
  return told(
    `:white_check_mark: Slack wasn’t accepting messages from ${date(since)} to ${date(until)}. Everything that was late is being posted now.`,
  );
}

/** How a notice names the results of a campaign. */
export const resultsOf = (campaignTitle: string): string => `results of *${inline(campaignTitle)}*`;

/**
 * Returns the notice that something cannot be read completely.
 * @param what in mrkdwn, as in “the …”
 * @param wrong undefined if two sources have contradicted each other for an hour
 */
export function readIncomplete(what: string, wrong: string | undefined): Message {
  if (wrong === undefined)
    return told(
      `:warning: The ${what} have differed from the tasks themselves for an hour.`,
      'Cards stay as they are until the two agree. We’ll post here.',
    );
  return told(
    `:warning: The ${what} cannot be read completely: ${inline(wrong, 600)}.`,
    'What can be read is shown; the rest stays as it was until it can be read. We’ll post here.',
  );
}

/** Returns the notice that something is read completely again. @param since when the problem began (ms) */
export function readAgain(what: string, since: number): Message {
  return told(`:white_check_mark: The ${what} can be read in full again (problems since ${date(since)}).`);
}

/** Maximum number of unreadable items of a list that are named. */
const mostNamed = 5;

/** Returns what a list lacks, as plain text. */
export function shortfallText(what: string, { read, expected, unreadable }: ListShortfall): string {
  const more = unreadable.length - mostNamed;
  const named = [...unreadable.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])];
  const but = named.length === 0 ? '' : `, but not ${named.join(', ')}`;
  return `${read} of ${expected} ${what} can be read${but}`;
}

function told(text: string, more?: string): Message {
  return notice(text, ...(more === undefined ? [] : [context(more)]));
}
