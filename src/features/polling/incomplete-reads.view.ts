import type { ListShortfall } from '../../marketplace/index.ts';
import { context, type Message, section } from '../../slack/blocks.ts';
import { date, inline, plain } from '../../slack/mrkdwn.ts';

/** Maximum number of unreadable items of a list that are named. */
const mostNamed = 5;

/** Returns the notice that a campaign's results cannot be read completely. @param wrong as in “the results …” */
export function resultsIncomplete(campaignTitle: string, wrong: string): Message {
  const text = `:warning: The results of *${inline(campaignTitle)}* cannot be read completely: they ${inline(wrong, 400)}.`;
  return told(
    text,
    'What can be read is shown, and the results are read again until they are complete. Tasks may be missing here until then. You will be told here.',
  );
}

/** Returns the notice that two sources have contradicted each other for an hour. */
export function resultsBehind(campaignTitle: string): Message {
  const text = `:warning: The marketplace has given different answers about tasks of *${inline(campaignTitle)}* for an hour.`;
  return told(text, 'Their cards stay as they are until the answers agree. You will be told here.');
}

/** Returns the notice that a campaign's results are complete again. @param since when the problem began (ms) */
export function resultsReadAgain(campaignTitle: string, since: number): Message {
  const text = `:white_check_mark: The results of *${inline(campaignTitle)}* are read completely again. They could not be since ${date(since)}.`;
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
    `What can be read is shown. No ${what} count as gone because the list lacks them. You will be told here.`,
  );
}

/** Returns the notice that a list is complete again. @param since when the problem began (ms) */
export function listReadAgain(what: 'campaigns' | 'messages', since: number): Message {
  return told(
    `:white_check_mark: The list of ${what} is read completely again. It could not be since ${date(since)}.`,
  );
}

function told(text: string, more?: string): Message {
  return { text: plain(text), blocks: [section(text), ...(more === undefined ? [] : [context(more)])] };
}
