import { type Rating, type Verdict, verdicts } from '../../src/domain/terms.ts';
import { approveAction } from '../../src/features/shared/approval.view.ts';
import { bulkAction } from '../../src/features/shared/bulk-button.ts';
import { mineAction } from '../../src/features/shared/mine-button.ts';
import { decodeCardBlock } from '../../src/slack/card-block.ts';
import { replyTagType } from '../../src/slack/history.ts';
import { campaignNoticeTagType, dailyTagType } from '../../src/slack/message-tags.ts';
import { sandboxClient } from '../harness/slack-client.ts';
import { visibleText } from '../harness/visible-text.ts';

/** The message that counts the tasks of a campaign without a card. */
export interface SeenSummary extends Place {
  readonly account: string;
  readonly campaign: string;
  readonly text: string;
  /** The number of tasks without a card that it shows. */
  readonly count: number;
  /** Its button for selecting many of them. */
  readonly select?: SeenButton;
}

/** A reminder of tasks that are due soon. */
export interface SeenReminder extends Place {
  readonly account: string;
  readonly text: string;
}

/** A button of a message. */
export interface SeenButton {
  readonly block_id: string;
  readonly value: string;
}

/** A request for an approval. */
export interface SeenRequest extends Place {
  readonly block: string;
  readonly value: string;
}

/** A direct message with its reader's tasks and the button for reviewing them. */
export interface SeenMine extends Place {
  readonly review: SeenButton;
}

/** The place of a message. */
export interface Place {
  readonly channel: string;
  readonly ts: string;
}

type Block = { type: string; block_id?: string; elements?: { action_id?: string; value?: string }[] };
type Message = Place & {
  text: string;
  user: string;
  blocks: Block[];
  edited?: unknown;
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
};

/** A decision as a card shows it. */
export interface ShownDecision {
  /** From the card's block, if it has one; invisible to people. */
  readonly id?: string;
  readonly verdict: Verdict;
  readonly by: string;
  readonly comment: string;
  readonly state: 'pending' | 'refused' | 'applied' | 'overtaken';
}

/** A card as a person reads it. */
export interface SeenCard extends Place {
  readonly account: string;
  readonly task: string;
  readonly round: number;
  readonly text: string;
  /** The ids of the actions blocks that contain these buttons, if they exist. */
  readonly buttons: { readonly 'task.ok'?: string; readonly 'task.undo'?: string };
  readonly decision?: ShownDecision;
  /** A rating made outside Slack. */
  readonly elsewhere?: Rating;
  /** A rating shown as made by an unknown person. */
  readonly raterUnknown?: Rating;
  /** Who requested the correction that this card shows, and the comment. */
  readonly asked?: { readonly by: string; readonly comment: string };
  /** Whether it only links to the card of the next round. */
  readonly superseded: boolean;
}

/** Any other message of the bot. */
export interface SeenNotice extends Place {
  readonly text: string;
}

export interface SeenChannel {
  readonly id: string;
  readonly is_archived: boolean;
  readonly members: readonly string[];
}

/**
 * Everything that people see of the bot in all channels, updated by `refresh`, except messages that only refer to another
 * channel.
 */
export interface ChannelView {
  readonly cards: ReadonlyMap<string, SeenCard>;
  /** Ids of inbox messages, by the place of their announcement. */
  readonly announced: ReadonlyMap<string, string>;
  readonly summaries: ReadonlyMap<string, SeenSummary>;
  readonly reminders: ReadonlyMap<string, SeenReminder>;
  readonly notices: ReadonlyMap<string, SeenNotice>;
  /** Notices of paused campaigns. */
  readonly campaignNotices: ReadonlyMap<string, SeenNotice>;
  /** Requests for approvals. */
  readonly requests: ReadonlyMap<string, SeenRequest>;
  /** Messages that list somebody's tasks. */
  readonly mine: ReadonlyMap<string, SeenMine>;
  /**
   * For messages that must exist only once, what each is: the answer to a reply, the progress of a bulk rating, the news to
   * two people who differ, or a daily summary.
   */
  readonly unique: ReadonlyMap<string, string>;
  readonly channels: readonly SeenChannel[];
  /** The rounds of tasks, as `task round`, whose cards were lost with a deleted channel. */
  readonly goneWithChannel: ReadonlySet<string>;
  /** The rounds whose cards were once in a channel that the bot could not read, so it may have missed their content. */
  readonly unreadable: ReadonlySet<string>;
  /** Reads the changes. Returns the changed cards. */
  refresh(): Promise<readonly SeenCard[]>;
}

const botUser = 'U0BOT';

/** Creates an empty view. */
export function createChannelView(slackUrl: string): ChannelView {
  const slack = sandboxClient(slackUrl);
  const cards = new Map<string, SeenCard>();
  const announced = new Map<string, string>();
  const summaries = new Map<string, SeenSummary>();
  const reminders = new Map<string, SeenReminder>();
  const notices = new Map<string, SeenNotice>();
  const campaignNotices = new Map<string, SeenNotice>();
  const requests = new Map<string, SeenRequest>();
  const mine = new Map<string, SeenMine>();
  const unique = new Map<string, string>();
  const all = [cards, announced, summaries, reminders, notices, campaignNotices, requests, mine, unique];
  const goneWithChannel = new Set<string>();
  const unreadable = new Set<string>();
  let channels: SeenChannel[] = [];
  let after = -1;

  function remove(place: string): void {
    for (const seen of all) seen.delete(place);
  }

  async function read(): Promise<SeenCard[]> {
    const changed = await slack.get<{
      changes: number;
      channels: SeenChannel[];
      messages: Message[];
      gone: string[];
    }>(`messages?after=${after}`);
    after = changed.changes;
    channels = changed.channels;
    const channelIds = new Set(channels.map(({ id }) => id));
    const readable = new Set(channels.filter(({ members }) => members.includes(botUser)).map(({ id }) => id));
    for (const { channel, task, round } of cards.values()) {
      if (!channelIds.has(channel)) goneWithChannel.add(`${task} ${round}`);
      if (!readable.has(channel)) unreadable.add(`${task} ${round}`);
    }
    for (const seen of all)
      for (const place of seen.keys()) if (!channelIds.has(place.split(':')[0] ?? '')) seen.delete(place);
    for (const place of changed.gone) remove(place);
    const changedCards: SeenCard[] = [];
    for (const message of changed.messages) {
      if (message.user !== botUser) continue;
      const place = `${message.channel}:${message.ts}`;
      remove(place);
      if (shapes.moved.test(textOf(message))) continue;
      switch (message.metadata?.event_type) {
        case 'proofdesk_card': {
          const card = readCard(message);
          cards.set(place, card);
          changedCards.push(card);
          break;
        }
        case 'proofdesk_inbox':
          announced.set(place, String(message.metadata.event_payload.message));
          break;
        case 'proofdesk_queue':
          summaries.set(place, readSummary(message));
          break;
        case 'proofdesk_reminder': {
          reminders.set(place, readReminder(message));
          break;
        }
        case campaignNoticeTagType:
          campaignNotices.set(place, { channel: message.channel, ts: message.ts, text: textOf(message) });
          break;
        case dailyTagType:
          unique.set(place, dailyNameOf(message.channel, String(message.metadata.event_payload.day)));
          break;
        case replyTagType:
          unique.set(
            place,
            `answer to ${String(message.metadata.event_payload.reply)} in ${message.channel}`,
          );
          break;
        case 'proofdesk_bulk':
          unique.set(place, `bulk rating ${JSON.stringify(message.metadata.event_payload)}`);
          break;
        case 'proofdesk_loss':
          unique.set(place, `loss ${JSON.stringify(message.metadata.event_payload)}`);
          notices.set(place, { channel: message.channel, ts: message.ts, text: textOf(message) });
          break;
        default: {
          const approve = buttonOf(message, approveAction);
          const { channel, ts } = message;
          const review = buttonOf(message, mineAction);
          if (review) mine.set(place, { channel, ts, review });
          if (approve) requests.set(place, { channel, ts, block: approve.block_id, value: approve.value });
          notices.set(place, { channel, ts, text: textOf(message) });
        }
      }
    }
    return changedCards;
  }

  let reading: Promise<SeenCard[]> | undefined;
  return {
    cards,
    announced,
    summaries,
    reminders,
    notices,
    campaignNotices,
    requests,
    mine,
    unique,
    goneWithChannel,
    unreadable,
    get channels() {
      return channels;
    },
    refresh() {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}

/** The prefix of the names of daily summaries in `unique`. */
export const dailyName = 'summary of ';

/** Returns the name of a daily summary in `unique`. @param day as YYYY-MM-DD */
export function dailyNameOf(channel: string, day: string): string {
  return `${dailyName}${day} in ${channel}`;
}

function textOf({ blocks, text }: Message): string {
  return blocks.length > 0 ? visibleText(blocks) : text;
}

const any = `\\*(${verdicts.join('|')})\\*`;
const shapes = {
  decision: new RegExp(`^:(\\w+): ${any} by @(\\w+)(.*)$`, 'm'),
  elsewhere: new RegExp(`^:\\w+: ${any}, rated outside of Slack`, 'm'),
  raterUnknown: new RegExp(`^:\\w+: ${any}, seen [^]*Who rated is not known`, 'm'),
  overtaken: /@(\w+) had decided (OK|NOK|REVISE); that was not/,
  asked: /^@(\w+) requested a revision: (?:“([^”]*)”)?/m,
  superseded: /: (?:the worker has corrected this task|this task waits for another rating)\. Review it on/,
  moved: /^:arrow_right: .* continues /m,
};

/** The state of a decision by the emoji at the beginning of its line. */
const states: Readonly<Record<string, ShownDecision['state']>> = {
  hourglass_flowing_sand: 'pending',
  double_vertical_bar: 'pending',
  warning: 'refused',
};

function readCard(message: Message): SeenCard {
  const { channel, ts, blocks, metadata } = message;
  const text = textOf(message);
  const buttons: Record<string, string> = {};
  let id: string | undefined;
  for (const block of blocks) {
    const decoded = decodeCardBlock(block.block_id ?? '');
    if (decoded === undefined) continue;
    id = decoded.decision ?? id;
    for (const { action_id: action } of block.elements ?? [])
      if (action) buttons[action] = block.block_id ?? '';
  }
  const elsewhere = shapes.elsewhere.exec(text)?.[1];
  const raterUnknown = shapes.raterUnknown.exec(text)?.[1];
  const asked = shapes.asked.exec(text);
  const decision = readDecision(text, id);
  return {
    channel,
    ts,
    account: String(metadata?.event_payload.account),
    task: String(metadata?.event_payload.task),
    round: Number(metadata?.event_payload.round),
    text,
    buttons,
    ...(decision ? { decision } : {}),
    ...(elsewhere ? { elsewhere: elsewhere as Rating } : {}),
    ...(raterUnknown ? { raterUnknown: raterUnknown as Rating } : {}),
    ...(asked ? { asked: { by: asked[1] ?? '', comment: asked[2] ?? '' } } : {}),
    superseded: shapes.superseded.test(text),
  };
}

function readDecision(text: string, id: string | undefined): ShownDecision | undefined {
  const own = id === undefined ? {} : { id };
  const [, emoji = '', verdict, by, rest = ''] = shapes.decision.exec(text) ?? [];
  if (verdict !== undefined && by !== undefined) {
    const comment = /“([^”]*)”/.exec(rest)?.[1] ?? '';
    return { ...own, verdict: verdict as Verdict, by, comment, state: states[emoji] ?? 'applied' };
  }
  const [, loser, wanted] = shapes.overtaken.exec(text) ?? [];
  return loser === undefined
    ? undefined
    : { ...own, verdict: wanted as Verdict, by: loser, comment: '', state: 'overtaken' };
}

function buttonOf({ blocks }: Message, action: string): SeenButton | undefined {
  for (const { block_id, elements = [] } of blocks) {
    const found = elements.find(({ action_id }) => action_id === action);
    if (found) return { block_id: block_id ?? '', value: found.value ?? '' };
  }
  return undefined;
}

function readReminder(message: Message): SeenReminder {
  const { channel, ts, metadata } = message;
  return { channel, ts, account: String(metadata?.event_payload.account), text: textOf(message) };
}

function readSummary(message: Message): SeenSummary {
  const { channel, ts, metadata } = message;
  const text = textOf(message);
  const [, count = '0'] = /([\d,]+) more tasks? waits?/.exec(text) ?? [];
  const { account, campaign } = metadata?.event_payload ?? {};
  const select = buttonOf(message, bulkAction);
  return {
    channel,
    ts,
    account: String(account),
    campaign: String(campaign),
    text,
    count: Number(count.replaceAll(',', '')),
    ...(select ? { select } : {}),
  };
}
