import type { Block } from '@proofdesk/slack-sandbox';
import { buttonsOf, sandboxClient, visibleText } from '@proofdesk/slack-sandbox/testing';
import { channel } from './world.ts';

type Message = {
  readonly channel: string;
  readonly ts: string;
  readonly user: string;
  readonly blocks: Block[];
  readonly metadata?: { readonly event_type: string; readonly event_payload: Record<string, unknown> };
};

/** A decision as a card shows it. */
export interface ShownDecision {
  readonly verdict: string;
  readonly by: string;
  readonly comment: string;
  readonly state: 'pending' | 'applied' | 'refused';
}

/** A card as a person reads it. */
export interface Card {
  readonly ts: string;
  readonly task: string;
  readonly round: number;
  readonly text: string;
  readonly buttons: readonly string[];
  readonly decision?: ShownDecision;
}

export type View = ReturnType<typeof createView>;

/** Everything that people see in the channel, brought up to date by `refresh`. */
export function createView(slackUrl: string) {
  const slack = sandboxClient(slackUrl);
  const cards = new Map<string, Card>();
  /** The numbers of waiting tasks that summaries count, by the message. */
  const summaries = new Map<string, number>();
  /** What cards have shown as accepted, by {@link keyOf}. */
  const accepted = new Map<string, ShownDecision & Pick<Card, 'task' | 'round'>>();
  /** What a card has shown as accepted before it asked again. */
  const askedAgain = new Set<string>();
  let after = -1;

  async function read(): Promise<void> {
    const seen = await slack.get<{ changes: number; messages: Message[]; gone: string[] }>(
      `messages?after=${after}`,
    );
    after = seen.changes;
    for (const place of seen.gone) {
      cards.delete(place.split(':')[1] ?? '');
      summaries.delete(place.split(':')[1] ?? '');
    }
    for (const message of seen.messages.filter((one) => one.channel === channel && one.user === 'U0BOT')) {
      const { ts, metadata } = message;
      const before = cards.get(ts);
      cards.delete(ts);
      summaries.delete(ts);
      if (metadata?.event_type === 'proofdesk_card') {
        const card = readCard(message);
        cards.set(ts, card);
        const { decision, task, round } = card;
        if (decision && decision.state !== 'refused')
          accepted.set(keyOf(card, decision), { ...decision, task, round });
        if (before?.decision && !decision && before.round === round && card.buttons.includes('OK'))
          askedAgain.add(keyOf(before, before.decision));
      }
      if (metadata?.event_type === 'proofdesk_queue') {
        const [, count] = /([\d,]+) more tasks? waits?/.exec(visibleText(message.blocks)) ?? [];
        if (count !== undefined) summaries.set(ts, Number(count.replaceAll(',', '')));
      }
    }
  }

  let reading: Promise<void> | undefined;
  return {
    cards,
    summaries,
    accepted,
    askedAgain,
    refresh(): Promise<void> {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}

/** Names a decision on a card, so that the one that is undone is told from the next. */
export function keyOf({ task, round }: Pick<Card, 'task' | 'round'>, decision: ShownDecision): string {
  return `${task} round ${round}: ${decision.verdict} “${decision.comment}” by ${decision.by}`;
}

function readCard({ ts, blocks, metadata }: Message): Card {
  const text = visibleText(blocks);
  const [, emoji, verdict = '', by = '', rest = ''] =
    /^:(\w+): \*(OK|NOK|REVISE)\* by @(\w+)(.*)$/m.exec(text) ?? [];
  const pending = ['hourglass_flowing_sand', 'double_vertical_bar'];
  const state = emoji === 'warning' ? 'refused' : pending.includes(emoji ?? '') ? 'pending' : 'applied';
  const comment = /“([^”]*)”/.exec(rest)?.[1] ?? '';
  return {
    ts,
    task: String(metadata?.event_payload.task),
    round: Number(metadata?.event_payload.round),
    text,
    buttons: buttonsOf(blocks),
    ...(emoji === undefined ? {} : { decision: { verdict, by, comment, state } }),
  };
}
