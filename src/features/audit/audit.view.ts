import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { type AuditEntry, auditedActs } from '../../domain/audit.ts';
import { formatMoney, tryMoney } from '../../domain/money.ts';
import { type AccountId, ChannelId } from '../../domain/terms.ts';
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
import { channelName, code, dateAtStart, inline, user, userGroup } from '../../slack/mrkdwn.ts';
import { listMessage } from '../shared/list.view.ts';
import { type AuditFilter, inputs, listValue } from './filter.ts';
import { actWords, howWords, memberWord } from './wording.ts';

export const filterForm = 'audit.filter';
export const auditClicks = {
  newest: 'audit.newest',
  older: 'audit.older',
  filter: 'audit.filter.open',
  file: 'audit.file',
} as const;
/** Option for every act, because a select cannot be cleared. */
const everyAct = 'ANY';

/** An entry for display. `end`: its act's outcome, if the entry only says that it began. */
export interface ShownEntry {
  readonly entry: AuditEntry;
  readonly end?: 'under way' | 'interrupted';
}

/** Returns one page of the audit, newest entry first. */
export function auditMessage(page: {
  readonly account: AccountId;
  readonly filter: AuditFilter;
  readonly entries: readonly ShownEntry[];
  /** Whether this is the first page. */
  readonly isFirst: boolean;
  /** Start of the next page; absent if there is none. */
  readonly next?: string | undefined;
  /** How far back (ms) was searched, if not to the end. */
  readonly searchedTo?: number | undefined;
  /** Ignored arguments of the command, which takes none. */
  readonly unused?: string | undefined;
}): Message {
  const { account, filter, entries, isFirst, next, searchedTo, unused } = page;
  const value = (before?: string) => listValue.encode({ account, filter, ...(before ? { before } : {}) });
  const filtered = filterText(filter);
  const found = entries.length === 0 ? (isFirst ? ': no entries.' : ': no more entries.') : ', newest first.';
  const rows = entries.map(sentence);
  return listMessage({
    intro: `*Audit*${filtered === '' ? '' : ` (${filtered})`}${found}`,
    blocks: [
      ...(unused === undefined ? [] : [context(unusedText(unused))]),
      ...rows.map((row) => section(row)),
      actions('audit', [
        ...(isFirst ? [] : [button('Newest', auditClicks.newest, value())]),
        ...(next === undefined ? [] : [button('Older', auditClicks.older, value(next))]),
        button('Filter', auditClicks.filter, value()),
        button('Send as a file', auditClicks.file, value()),
      ]),
      ...(searchedTo === undefined ? [] : [context(searchedText(searchedTo))]),
    ],
    rows,
  });
}

function unusedText(typed: string): string {
  return `“${inline(typed, 80)}” was ignored, because this command takes no search text. These are all entries. Choose Filter for a person, a campaign, a task or days.`;
}

function searchedText(at: number): string {
  return `Searched back to ${dateAtStart(at)}. Choose Older to search further, or Filter to choose the days.`;
}

/** Returns an entry as a sentence in mrkdwn: the time, who did what, and the outcome. */
export function sentence({ entry, end }: ShownEntry): string {
  const { at, what, how, member, verdict, favorite } = entry;
  const whose = member === undefined ? '' : ` ${memberWord(what)} ${user(member)}`;
  const words = `${actWords[what]}${whose}${verdict === undefined ? '' : ` (${verdict})`}`;
  const facts = [
    ...aboutWhat(entry),
    ...change(entry),
    ...(entry.comment ? [`“${inline(entry.comment, 200)}”`] : []),
    ...(favorite === undefined ? [] : [favorite === 'add' ? 'favorite added' : 'favorite removed']),
    ...moneyText(entry),
    ...outcomeText(entry, end),
    ...(how === undefined || how === 'elsewhere' || entry.by === undefined ? [] : [howWords[how]]),
  ];
  return `${dateAtStart(at)}: *${actor(entry)}* ${words}${facts.length === 0 ? '' : `\n${facts.join(' · ')}`}`;
}

function actor({ by, how }: AuditEntry): string {
  if (by !== undefined) return user(by);
  if (how === 'elsewhere') return 'Somebody outside of Slack';
  if (how === 'setting') return 'A setting of Proofdesk';
  return how === 'job' ? 'Proofdesk' : 'Whoever runs Proofdesk';
}

function aboutWhat({ task, campaign, worker, message, channel, group, round }: AuditEntry): string[] {
  return [
    ...(task ? [`task ${code(task)}${round !== undefined && round > 1 ? `, round ${round}` : ''}`] : []),
    ...(campaign ? [`campaign ${code(campaign)}`] : []),
    ...(worker ? [`worker ${code(worker)}`] : []),
    ...(message ? [`message ${code(message)}`] : []),
    ...(channel ? [channelName(channel)] : []),
    ...(group ? [userGroup(group)] : []),
  ];
}

function change({ what, before, after, rating, isRaterUnknown }: AuditEntry): string[] {
  if (what === 'subscribe') return before ? [`before in ${channelName(ChannelId.parse(before))}`] : [];
  if (what === 'rated elsewhere' || what === 'overtaken')
    return rating ? [`now ${rating}${isRaterUnknown ? ', who rated is not known' : ''}`] : [];
  const [was, is] = [before && inline(before, 200), after && inline(after, 200)];
  if (was && is) return [`${was} → ${is}`];
  return was && rating ? [`${was} → ${rating}`] : [was ?? is ?? ''].filter((text) => text !== '');
}

function moneyText({ what, money }: AuditEntry): string[] {
  const amount = money === undefined ? undefined : tryMoney(money);
  if (amount === undefined) return [];
  const isTotal = what === 'restart' || what === 'create' || what === 'rate in bulk';
  return [isTotal ? `total ${formatMoney(amount)}` : `bonus ${formatMoney(amount)}`];
}

function outcomeText({ stage, answer }: AuditEntry, end: ShownEntry['end']): string[] {
  if (stage === 'claimed')
    return [end === 'under way' ? 'under way' : 'outcome unknown: Proofdesk was interrupted while it asked'];
  if (stage === 'unknown') return ['outcome unknown: the marketplace gave no clear answer'];
  const said = answer === undefined || answer === 'OK' ? '' : inline(answer, 200);
  if (stage === 'failed') return [`*not done*${said === '' ? '' : `: ${said}`}`];
  return said === '' ? [] : [said];
}

/** Returns the active filters, in mrkdwn; '' for none. */
function filterText({ who, what, campaign, task, from, to, money }: AuditFilter): string {
  return [
    ...(who ? [user(who)] : []),
    ...(what ? [actWords[what]] : []),
    ...(campaign ? [`campaign ${code(campaign)}`] : []),
    ...(task ? [`task ${code(task)}`] : []),
    ...(from ? [`from ${from}`] : []),
    ...(to ? [`to ${to}`] : []),
    ...(money ? [`${money} or more`] : []),
  ].join(' · ');
}

/** Renders the filter form of the audit. @param zone IANA zone of its days */
export function auditFilterView(filter: AuditFilter, zone: string, state: string): ModalView {
  const every = option('Everything', everyAct);
  const acts = auditedActs.map((act) => option(capitalized(actWords[act]), act));
  return modal({
    callbackId: filterForm,
    title: 'Filter the audit',
    submit: 'Show',
    state,
    blocks: [
      optional(inputs.who, 'Who', {
        type: 'users_select',
        placeholder: plainText('Anybody'),
        ...(filter.who ? { initial_user: filter.who } : {}),
      }),
      input(inputs.what, 'What', {
        type: 'static_select',
        options: [every, ...acts],
        initial_option: acts.find(({ value }) => value === filter.what) ?? every,
      }),
      optional(inputs.campaign, 'Campaign (its id)', textInput(filter.campaign)),
      optional(inputs.task, 'Task (its id)', textInput(filter.task)),
      optional(inputs.from, 'From day', picker(filter.from)),
      optional(inputs.to, 'To day', picker(filter.to)),
      optional(inputs.money, 'Money, at least', textInput(filter.money)),
      context(
        `Days are in the marketplace’s time zone, ${inline(zone, 60)}. The first and last day are included.`,
      ),
    ],
  });
}

function optional(name: string, label: string, element: InputBlock['element']): KnownBlock {
  return input(name, label, element, { isOptional: true });
}

function textInput(current: string | undefined): InputBlock['element'] {
  return { type: 'plain_text_input', max_length: 100, ...(current ? { initial_value: current } : {}) };
}

function picker(current: string | undefined): InputBlock['element'] {
  return {
    type: 'datepicker',
    placeholder: plainText('Any day'),
    ...(current ? { initial_date: current } : {}),
  };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the text that accompanies the file. @param most maximum number of entries per file */
export function fileText(entries: number, most: number): string {
  if (entries === 0) return 'No entries match, so there is no file.';
  const all = `The audit with ${entries.toLocaleString('en')} ${entries === 1 ? 'entry' : 'entries'}, the newest first.`;
  return entries < most ? all : `${all} One file has at most that many: choose days to see others.`;
}

export const fileSent = 'The file is in your direct messages with Proofdesk.';
