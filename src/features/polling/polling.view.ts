import { context, type Message, section } from '../../slack/blocks.ts';
import { date, inline, plain } from '../../slack/mrkdwn.ts';
import { counted } from '../../ui/words.ts';

/**
 * Returns the notice that polls fail.
 * @param why a sentence that says what to do
 * @param since when they began to fail (ms)
 * @param decisions number of decisions waiting to be sent
 */
export function pollingStopped(why: string, since: number, decisions: number): Message {
  const text = `:warning: New tasks and messages cannot be fetched right now. ${inline(why, 400)}`;
  const waiting =
    decisions === 0
      ? ''
      : `${counted(decisions, 'decision')} ${decisions === 1 ? 'waits' : 'wait'} to be sent. `;
  return {
    text: plain(text),
    blocks: [
      section(text),
      context(
        `It has not worked since ${date(since)}. ${waiting}Nothing is lost: decisions you make meanwhile are stored and sent once it works again. You will be told here.`,
      ),
    ],
  };
}

export const noAnswer =
  'The marketplace does not answer. Proofdesk keeps trying; if this goes on, ask your administrator to check its address (MARKETPLACE_BASE_URL).';

export const noKey =
  'No readable API key of this account is left. Whoever has the key can connect it again with `/proofdesk connect`.';

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
    ...(decisions > 0 ? [`${counted(decisions, 'decision')} sent`] : []),
  ];
  const text = `:white_check_mark: New tasks and messages are fetched again. They could not be fetched from ${date(since)} until ${date(until)}.${done.length === 0 ? '' : ` Since then: ${done.join(', ')}.`}`;
  const missing = [
    ...(rest.campaigns > 0 ? [`the results of ${counted(rest.campaigns, 'campaign')}`] : []),
    ...(rest.decisions > 0 ? [counted(rest.decisions, 'decision')] : []),
  ];
  const still = missing.length > 0 ? [context(`Still waiting and tried again: ${missing.join(', ')}.`)] : [];
  return { text: plain(text), blocks: [section(text), ...still] };
}

/** Returns the notice of how many of a channel's cards were late during a Slack outage. */
export function slackOutageOver(since: number, until: number, cards: number): Message {
  const late =
    cards === 0 ? 'no card was late' : cards === 1 ? '1 card was late' : `${cards} cards were late`;
  const text = `:white_check_mark: Slack did not accept messages from ${date(since)} until ${date(until)}. Everything is up to date again: ${late}.`;
  return { text: plain(text), blocks: [section(text)] };
}
