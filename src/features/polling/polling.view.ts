import type { ListShortfall } from '../../marketplace/index.ts';
import { context, type Message, notice } from '../../slack/blocks.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import { capital, counted, number } from '../../ui/words.ts';

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

/** Work recovered after an outage, and the rest. */
export interface MadeGood {
  readonly since: number;
  readonly until: number;
  readonly tasks: number;
  readonly decisions: number;
  /** Work still waiting although the marketplace works again. */
  readonly rest: { readonly campaigns: number; readonly decisions: number };
}

/** Returns the notice that polls work again and the backlog is done. */
export function pollingResumed({ since, until, tasks, decisions, rest }: MadeGood): Message {
  const done = [
    ...(tasks > 0 ? [counted(tasks, 'new task')] : []),
    ...(decisions > 0 ? [`${counted(decisions, 'rating')} sent`] : []),
  ];
  const text = `:white_check_mark: New tasks and messages are coming in again after an outage from ${date(since)} to ${date(until)}.${done.length === 0 ? '' : ` Since then: ${done.join(', ')}.`}`;
  const missing = [
    ...(rest.campaigns > 0 ? [`the results of ${counted(rest.campaigns, 'campaign')}`] : []),
    ...(rest.decisions > 0 ? [counted(rest.decisions, 'rating')] : []),
  ];
  return told(text, missing.length > 0 ? `Still being tried: ${missing.join(', ')}.` : undefined);
}

/** Returns the notice of how many of a channel's cards were late during a Slack outage. */
export function slackOutageOver(since: number, until: number, cards: number): Message {
  const late = `${cards === 0 ? 'no' : number(cards)} ${cards === 1 ? 'card was' : 'cards were'} late`;
  const text = `:white_check_mark: Slack wasn’t accepting messages from ${date(since)} to ${date(until)}. Everything is up to date again: ${late}.`;
  return told(text);
}

/** Maximum number of unreadable items of a list that are named. */
const mostNamed = 5;

/** Returns the notice that a campaign's results cannot be read completely. @param wrong as in “the results …” */
export function resultsIncomplete(campaignTitle: string, wrong: string): Message {
  const text = `:warning: The results of *${inline(campaignTitle)}* cannot be read completely: they ${inline(wrong, 400)}.`;
  return told(
    text,
    'What can be read is shown, and the results are read again until they are complete. Tasks may be missing here until then. We’ll post here.',
  );
}

/** Returns the notice that two sources have contradicted each other for an hour. */
export function resultsBehind(campaignTitle: string): Message {
  const text = `:warning: The marketplace has given different answers about tasks of *${inline(campaignTitle)}* for an hour.`;
  return told(text, 'Their cards stay as they are until the answers agree. We’ll post here.');
}

/** Returns the notice that a campaign's results are complete again. @param since when the problem began (ms) */
export function resultsReadAgain(campaignTitle: string, since: number): Message {
  const text = `:white_check_mark: The results of *${inline(campaignTitle)}* can be read in full again (problems since ${date(since)}).`;
  return told(text);
}

/** Returns the notice that a list lacks items. */
export function listIncomplete(
  what: 'campaigns' | 'messages',
  { read, expected, unreadable }: ListShortfall,
): Message {
  const named = unreadable.slice(0, mostNamed).map((name) => inline(name, 100));
  const more = unreadable.length - named.length;
  const but =
    named.length === 0 || read === 0
      ? ''
      : `, but not ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`;
  const can =
    read > 0
      ? `${read} of ${expected} ${what} can be read`
      : expected === 1
        ? `the only ${what === 'campaigns' ? 'campaign' : 'message'} in it cannot be read`
        : `none of its ${expected} ${what} can be read`;
  const text = `:warning: The list of ${what} cannot be read completely: ${can}${but}.`;
  return told(
    text,
    `What can be read is shown. ${capital(what)} missing from the list are kept. We’ll post here.`,
  );
}

/** Returns the notice that a list is complete again. @param since when the problem began (ms) */
export function listReadAgain(what: 'campaigns' | 'messages', since: number): Message {
  return told(
    `:white_check_mark: The list of ${what} can be read in full again (problems since ${date(since)}).`,
  );
}

function told(text: string, more?: string): Message {
  return notice(text, ...(more === undefined ? [] : [context(more)]));
}
