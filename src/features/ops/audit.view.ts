import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { auditedActs } from '../../domain/audit.ts';
import { campaignTitleOf } from '../../domain/campaign.ts';
import { AccountId, MemberId } from '../../domain/terms.ts';
import {
  actions,
  button,
  context,
  input,
  type Message,
  modal,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { Origin } from '../../slack/feature.ts';
import { codec } from '../../slack/form-values.ts';
import { code, inline, user } from '../../slack/mrkdwn.ts';
import { adjacentPages, listMessage } from '../../ui/list.view.ts';
import { capital, number } from '../../ui/words.ts';
import { actWords, type ShownEntry, sentence } from './audit-sentence.ts';

const advice = 'Open the list again: `/proofdesk audit`.';
const day = z.iso.date().optional();

const filter = z.object({
  who: MemberId.optional(),
  what: z.enum(auditedActs).optional(),
  campaign: z.string().optional(),
  /** Days (YYYY-MM-DD) in the marketplace's zone, inclusive. */
  from: day,
  to: day,
});
/** Filter of audit entries. */
export type AuditFilter = z.infer<typeof filter>;

/** Value of a list's buttons. `pages`: after which entry each page up to this one begins, without the first. */
export const listValue = codec(
  'button',
  z.object({ account: AccountId, filter, pages: z.array(z.string()).readonly() }),
  advice,
);
export type AuditList = ReturnType<typeof listValue.decode>;

/** State of the filter form: the account, and where the list is. */
export const filterState = codec('form', z.object({ account: AccountId, origin: Origin }), advice);

/** Action id of the lists of campaigns, whose options the campaigns feature supplies. */
const campaignOptions = 'campaign.pick';
/** Option for every act, because a select cannot be cleared. */
const everyAct = 'ANY';

/**
 * Returns one page of the audit, newest entry first.
 * @param next start of the next page; absent if there is none
 * @param campaignTitle of the campaign in the filter, if it is known
 */
export function auditMessage(
  list: AuditList,
  entries: readonly ShownEntry[],
  next?: string,
  campaignTitle?: string,
): Message {
  const value = (pages: readonly string[]) => listValue.encode({ ...list, pages });
  const filtered = filterText(list.filter, campaignTitle);
  const none =
    next === undefined ? ': no entries.' : ': nothing found yet. Choose Next to search further back.';
  const rows = entries.map(sentence);
  return listMessage({
    intro: `*Audit*${filtered === '' ? '' : ` (${filtered})`}${entries.length === 0 ? none : ', newest first.'}`,
    blocks: [
      ...rows.map((row) => section(row)),
      actions('audit', [
        ...adjacentPages('audit.page', list.pages, next, value),
        button('Filter', 'audit.filter.open', value([])),
        button('Send as a file', 'audit.file', value([])),
      ]),
    ],
    rows,
  });
}

/** Returns the active filters, in mrkdwn; '' for none. */
function filterText(
  { who, what, campaign, from, to }: AuditFilter,
  campaignTitle: string | undefined,
): string {
  return [
    ...(who ? [user(who)] : []),
    ...(what ? [actWords[what]] : []),
    ...(campaign ? [campaignTitle ? inline(campaignTitle, 80) : `campaign ${code(campaign)}`] : []),
    ...(from ? [`from ${from}`] : []),
    ...(to ? [`to ${to}`] : []),
  ].join(' · ');
}

/** Renders the filter form of the audit. @param zone IANA zone of its days */
export function auditFilterView(
  filter: AuditFilter,
  campaignTitle: string | undefined,
  zone: string,
  state: string,
): ModalView {
  const every = option('Everything', everyAct);
  const acts = auditedActs.map((act) => option(capital(actWords[act]), act));
  return modal({
    callbackId: 'audit.filter',
    title: 'Filter the audit',
    submit: 'Show',
    state,
    blocks: [
      optional('who', 'Who', {
        type: 'users_select',
        placeholder: plainText('Anyone'),
        ...(filter.who ? { initial_user: filter.who } : {}),
      }),
      input('what', 'What', {
        type: 'static_select',
        options: [every, ...acts],
        initial_option: acts.find(({ value }) => value === filter.what) ?? every,
      }),
      input(
        'campaign',
        'Campaign',
        {
          type: 'external_select',
          placeholder: plainText('Any campaign'),
          min_query_length: 0,
          ...(filter.campaign
            ? { initial_option: option(campaignTitleOf(filter.campaign, campaignTitle), filter.campaign) }
            : {}),
        },
        { isOptional: true, actionId: campaignOptions },
      ),
      optional('from', 'From day', picker(filter.from)),
      optional('to', 'To day', picker(filter.to)),
      context(
        `Days are in the marketplace’s time zone, ${inline(zone, 60)}. The first and last day are included.`,
      ),
    ],
  });
}

function optional(name: string, label: string, element: InputBlock['element']): KnownBlock {
  return input(name, label, element, { isOptional: true });
}

function picker(current: string | undefined): InputBlock['element'] {
  return {
    type: 'datepicker',
    placeholder: plainText('Any day'),
    ...(current ? { initial_date: current } : {}),
  };
}

/** Returns the text that accompanies the file. @param most maximum number of entries per file */
export function fileText(entries: number, most: number): string {
  if (entries === 0) return 'No entries match, so there’s no file.';
  const all = `The audit: ${number(entries)} ${entries === 1 ? 'entry' : 'entries'}, newest first.`;
  return entries < most ? all : `${all} One file can’t have more. Filter by days to get the others.`;
}

export const fileSent = 'The file is in your direct messages with Proofdesk.';
