import type { ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import {
  type ChannelKind,
  type ChannelSettings,
  channelKinds,
  defaultDailyAt,
  mostOpenCards,
  TimeOfDay,
} from '../../domain/channel-settings.ts';
import { AccountId, ChannelId } from '../../domain/terms.ts';
import { input, modal, option, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { Origin } from '../../slack/feature.ts';
import { chosenMany, pickedTime, typed, type Values } from '../../slack/form-values.ts';
import { channelName, inline } from '../../slack/mrkdwn.ts';
import { mutedWords, settingsWords } from './list.view.ts';

export const channelSettingsForm = 'subscriptions.settings';
export const openChannelSettings = 'subscriptions.settings';

/** State of the form: the channel, the page of the list it was opened from, and where that list is. */
export const channelSettingsState = codec(
  'form',
  z.object({
    account: AccountId,
    channel: ChannelId,
    page: z.number().int(),
    origin: Origin,
  }),
  'Type `/proofdesk subscriptions`.',
);

const inputs = { openCards: 'open-cards', threads: 'threads', dailyAt: 'daily-at', muted: 'muted' } as const;

const kindOptions: Readonly<Record<ChannelKind, PlainTextOption>> = {
  digest: option('Digest', 'digest', 'How many tasks wait in each campaign'),
  daily: option('Daily summary', 'daily', 'What was reviewed, and by whom'),
  inbox: option('Inbox messages', 'inbox', 'What workers and the marketplace write'),
  campaigns: option('Campaigns', 'campaigns', 'When one finishes, pauses or is blocked'),
  reminders: option('Reminders', 'reminders', 'Tasks due within 48, 24 and 6 hours'),
};
const threadsOption = option('Replies in the threads of cards leave notes', 'on', '“note …” as a reply');

/** Returns the form for a channel's settings. @param zone of the daily summary's time (IANA) */
export function channelSettingsModal(
  channel: ChannelId,
  settings: ChannelSettings,
  zone: string,
  state: string,
): ModalView {
  const { openCards, threads = false, dailyAt = defaultDailyAt, muted } = settings;
  const mutedOptions = channelKinds.filter((kind) => muted.includes(kind)).map((kind) => kindOptions[kind]);
  return modal({
    callbackId: channelSettingsForm,
    title: 'Channel settings',
    submit: 'Save',
    state,
    blocks: [
      section(`What ${channelName(channel)} gets, and how.`),
      input(
        inputs.openCards,
        'Most open cards at a time',
        {
          type: 'number_input',
          is_decimal_allowed: false,
          min_value: '0',
          max_value: String(mostOpenCards),
          ...(openCards === undefined ? {} : { initial_value: String(openCards) }),
        },
        {
          isOptional: true,
          hint: 'What waits beyond is counted in one message. 0: no limit. Empty: as set for all channels.',
        },
      ),
      input(
        inputs.dailyAt,
        'Time of the daily summary',
        { type: 'timepicker', initial_time: dailyAt },
        { isOptional: true, hint: `In the time zone ${zone}. Empty: ${defaultDailyAt}.` },
      ),
      input(
        inputs.muted,
        'Mute in this channel',
        {
          type: 'checkboxes',
          options: Object.values(kindOptions),
          ...(mutedOptions.length > 0 ? { initial_options: mutedOptions } : {}),
        },
        { isOptional: true },
      ),
      input(
        inputs.threads,
        'Threads',
        {
          type: 'checkboxes',
          options: [threadsOption],
          ...(threads ? { initial_options: [threadsOption] } : {}),
        },
        { isOptional: true },
      ),
    ],
  });
}

/** Returns the settings chosen in the form, or errors by input. */
export function channelSettingsIn(
  values: Values,
): { readonly settings: ChannelSettings } | { readonly errors: Readonly<Record<string, string>> } {
  const text = typed(values, inputs.openCards);
  const openCards = text === '' ? undefined : Number(text);
  if (
    openCards !== undefined &&
    !(Number.isInteger(openCards) && openCards >= 0 && openCards <= mostOpenCards)
  )
    return { errors: { [inputs.openCards]: noLimitNumber } };
  const time = TimeOfDay.safeParse(pickedTime(values, inputs.dailyAt) ?? defaultDailyAt).data;
  if (time === undefined) return { errors: { [inputs.dailyAt]: noTime } };
  const muted = chosenMany(values, inputs.muted);
  return {
    settings: {
      ...(openCards === undefined ? {} : { openCards }),
      ...(chosenMany(values, inputs.threads).includes('on') ? { threads: true } : {}),
      ...(time === defaultDailyAt ? {} : { dailyAt: time }),
      muted: channelKinds.filter((kind) => muted.includes(kind)),
    },
  };
}

export const noLimitNumber = `Enter a whole number from 0 to ${mostOpenCards}, or leave it empty.`;
export const noTime = 'Enter a time of day such as 18:00, or leave it empty.';

/** Returns the settings of a channel after they were saved, in mrkdwn. @param zone of the daily summary's time (IANA) */
export function settingsStored(channel: ChannelId, settings: ChannelSettings, zone: string): string {
  const words = settingsWords(settings, inline(zone, 60)).join(', ');
  return `:white_check_mark: The settings of ${channelName(channel)} are saved: ${words}. ${mutedWords(settings)}`.trim();
}
