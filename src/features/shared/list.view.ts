import type { ActionsBlock, KnownBlock, PlainTextOption } from '@slack/types';
import { button, context, dayPicker, type Message, plainText, section } from '../../slack/blocks.ts';
import { cut, limits } from '../../slack/limits.ts';
import { inline, plain } from '../../slack/mrkdwn.ts';

/** Days (YYYY-MM-DD) that a list is filtered by, both included. */
interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Returns the message of a list: what has just been done (if anything), an introduction, then the list.
 * @param list.rows the rows in mrkdwn, for the fallback text
 */
export function listMessage(list: {
  readonly outcome?: string | undefined;
  readonly intro: string;
  readonly blocks: readonly KnownBlock[];
  readonly rows: readonly string[];
}): Message {
  const head = list.outcome === undefined ? [list.intro] : [list.outcome, list.intro];
  return {
    text: cut(plain([...head, ...list.rows].join('\n')), limits.fallbackText),
    blocks: [...head.map((text) => section(text)), ...list.blocks],
  };
}

/** Returns the pickers of the days that a list is filtered by, and a button that clears them. @param ids action ids */
export function dayFilter(
  ids: { readonly from: string; readonly to: string; readonly clear: string },
  { from, to }: Days,
): ActionsBlock['elements'] {
  return [
    dayPicker(ids.from, 'From day', from),
    dayPicker(ids.to, 'To day', to),
    ...(from || to ? [button('Any day', ids.clear, 'any')] : []),
  ];
}

/** Returns the days that a list is filtered by in words; '' when it is not. */
export function daysText({ from, to }: Days): string {
  return [...(from ? [`from ${from}`] : []), ...(to ? [`to ${to}`] : [])].join(' ');
}

/** Returns a note on the zone (IANA) of the days that a list is filtered by; nothing when it is not. */
export function zoneNote({ from, to }: Days, zone: string): KnownBlock[] {
  return from || to ? [context(`Days are in the marketplace’s time zone, ${inline(zone, 60)}.`)] : [];
}

/** Returns a select in which several rows of a list can be chosen. */
export function rowSelect(select: {
  readonly text: string;
  readonly blockId: string;
  readonly actionId: string;
  readonly placeholder: string;
  readonly options: PlainTextOption[];
}): KnownBlock {
  return section(select.text, {
    block_id: select.blockId,
    accessory: {
      type: 'multi_static_select',
      action_id: select.actionId,
      placeholder: plainText(select.placeholder),
      options: select.options,
    },
  });
}

/** Returns what stands in place of a list that cannot be loaded. @param outcome what has been done, in mrkdwn */
export function listUnavailable(outcome: string, command: string): string {
  return `${outcome}\nThe list cannot be loaded right now. Open it again in a minute: \`${command}\`.`;
}
