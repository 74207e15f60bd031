import type { Rating, Verdict } from '../../src/domain/terms.ts';
import { decodeCardBlock } from '../../src/slack/card-block.ts';
import { sandboxClient } from '../harness/slack-client.ts';

export const reviewChannel = 'C01REVIEW';

/** The message that counts the tasks without a card. */
export interface SeenSummary {
  readonly ts: string;
  readonly text: string;
  /** How many tasks it says have no card. */
  readonly count: number;
  /** The button that asks for more cards, when it is there. */
  readonly button?: { readonly block_id: string; readonly value: string };
}

type Block = { type: string; block_id?: string; elements?: { action_id?: string; value?: string }[] };
type Message = {
  ts: string;
  text: string;
  blocks: Block[];
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
};

/** A decision as a card shows it. */
export interface ShownDecision {
  readonly verdict: Verdict;
  readonly by: string;
  readonly comment: string;
  readonly state: 'pending' | 'refused' | 'applied';
}

/** What a person sees on a card. */
export interface SeenCard {
  readonly ts: string;
  readonly task: string;
  readonly round: number;
  /** The actions block with the buttons of that name, when it is there. */
  readonly buttons: { readonly 'task.ok'?: string; readonly 'task.undo'?: string };
  readonly decision?: ShownDecision;
  /** A rating that was made outside of Slack. */
  readonly elsewhere?: Rating;
  /** Whether it only links to the card of the next round. */
  readonly superseded: boolean;
}

export interface ChannelView {
  readonly cards: readonly SeenCard[];
  /** Ids of inbox messages, one for each announcement. */
  readonly announced: readonly string[];
  readonly summaries: readonly SeenSummary[];
}

/** Reads everything in the review channel, as people see it now. */
export async function readChannel(slackUrl: string): Promise<ChannelView> {
  const { messages } = await sandboxClient(slackUrl).get<{ messages: Message[] }>(
    `channels/${reviewChannel}/messages?user=nobody`,
  );
  const tagged = (type: string) => messages.filter(({ metadata }) => metadata?.event_type === type);
  return {
    cards: tagged('proofdesk_card').map(readCard),
    announced: tagged('proofdesk_inbox').map(({ metadata }) => String(metadata?.event_payload.message)),
    summaries: tagged('proofdesk_backlog').map(readSummary),
  };
}

function readCard({ ts, blocks, metadata }: Message): SeenCard {
  const texts = textsOf(blocks);
  const decisions = texts.flatMap((text) => readDecision(text) ?? []);
  const elsewhere = texts.flatMap(
    (text) => /\*(OK|NOK|REVISE)\*, rated outside of Slack/.exec(text)?.[1] ?? [],
  );
  const buttons: Record<string, string> = {};
  for (const { type, block_id: id, elements } of blocks) {
    if (type !== 'actions' || id === undefined || decodeCardBlock(id) === undefined) continue;
    for (const { action_id: action } of elements ?? []) if (action) buttons[action] = id;
  }
  const [decision] = decisions;
  const [rating] = elsewhere;
  return {
    ts,
    task: String(metadata?.event_payload.task),
    round: Number(metadata?.event_payload.round),
    buttons,
    ...(decision ? { decision } : {}),
    ...(rating ? { elsewhere: rating as Rating } : {}),
    superseded: texts.some((text) => text.includes('the worker has corrected this task')),
  };
}

function readSummary({ ts, text, blocks }: Message): SeenSummary {
  const buttons = blocks.flatMap(({ block_id = '', elements = [] }) =>
    elements
      .filter(({ action_id: action }) => action === 'backlog.more')
      .map(({ value = '' }) => ({ block_id, value })),
  );
  const [button] = buttons;
  return { ts, text, count: Number(/\d+/.exec(text)?.[0] ?? 0), ...(button ? { button } : {}) };
}

function readDecision(text: string): ShownDecision | undefined {
  const [, emoji, verdict, by] = /^(:\w+:) \*(OK|NOK|REVISE)\* by <@(\w+)>/.exec(text) ?? [];
  if (verdict === undefined || by === undefined) return undefined;
  const pending = emoji === ':hourglass_flowing_sand:' || emoji === ':double_vertical_bar:';
  return {
    verdict: verdict as Verdict,
    by,
    comment: /“([^”]*)”/.exec(text)?.[1] ?? '',
    state: pending ? 'pending' : emoji === ':warning:' ? 'refused' : 'applied',
  };
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'text' && typeof inner === 'string' ? [inner] : textsOf(inner),
  );
}
