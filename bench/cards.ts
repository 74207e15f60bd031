import { request } from 'undici';
import { pause, type startMachine } from './machine.ts';

type Machine = Awaited<ReturnType<typeof startMachine>>;

/** The part of an open card that a click needs. */
export interface OpenCard {
  readonly channel: string;
  readonly ts: string;
  readonly blockId: string;
  readonly task: string;
}

interface Message {
  readonly ts: string;
  readonly blocks?: readonly {
    readonly type: string;
    readonly block_id?: string;
    readonly elements?: readonly { readonly action_id?: string; readonly value?: string }[];
  }[];
}

/** Returns a channel's cards that can be rated. */
export async function openCards({ slackUrl }: Machine, channel: string): Promise<OpenCard[]> {
  const answer = await fetch(`${slackUrl}/_sandbox/channels/${channel}/messages?user=U01ANN`);
  const { messages } = (await answer.json()) as { messages: Message[] };
  return messages.flatMap(({ ts, blocks = [] }) =>
    blocks.flatMap(({ block_id: blockId = '', elements = [] }) => {
      const task = elements.find(({ action_id }) => action_id === 'task.ok')?.value;
      return task === undefined ? [] : [{ channel, ts, blockId, task }];
    }),
  );
}

/** Clicks OK on a card. Returns the ack time (ms); Infinity if there was no ack. */
export async function clickOk({ slackUrl }: Pick<Machine, 'slackUrl'>, card: OpenCard): Promise<number> {
  // Not fetch, which would take more processor time for a click than an empty Bolt app.
  const { body } = await request(`${slackUrl}/_sandbox/click`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      user: 'U01ANN',
      channel: card.channel,
      ts: card.ts,
      block_id: card.blockId,
      action_id: 'task.ok',
      value: card.task,
      // A colleague's click may have changed the card since.
      stale: true,
    }),
  });
  const { acked, ms } = (await body.json()) as { acked: boolean; ms: number };
  return acked ? ms : Number.POSITIVE_INFINITY;
}

/** Clicks OK on a card. Returns the time until it changes (ms). */
export async function changedAfter(machine: Machine, card: OpenCard): Promise<number> {
  const began = performance.now();
  await clickOk(machine, card);
  while ((await openCards(machine, card.channel)).some(({ ts }) => ts === card.ts)) await pause(20);
  return performance.now() - began;
}

/** Submits a task and decides it. Returns its card; later clicks on it are told that the task is decided. */
export async function decidedCard(machine: Machine, campaign: string): Promise<OpenCard> {
  await machine.marketplace.submit({ campaign_id: campaign, count: 1 });
  let card: OpenCard | undefined;
  while (card === undefined) [card] = await openCards(machine, 'C01REVIEW');
  await clickOk(machine, card);
  return card;
}

/** Returns a workspace with this many channels, named by their numbers. */
export function workspaceWith(channels: number) {
  const id = (index: number) => `C9${String(index).padStart(4, '0')}`;
  const ids = Array.from({ length: channels }, (_, index) => id(index));
  const review = { id: 'C01REVIEW', name: 'review' };
  return {
    ids,
    workspace: {
      channels: [review, ...ids.map((one, index) => ({ id: one, name: `review-${index}` }))],
    },
  };
}

/** Adds a campaign per channel, and subscribes the channel to it. */
export async function subscribeEach(machine: Machine, channels: readonly string[]): Promise<string[]> {
  const ann = machine.slack.person('U01ANN');
  const campaigns: string[] = [];
  for (const [index, channel] of channels.entries()) {
    const campaign = await machine.runningCampaign(`Photo of shelf ${index}`);
    campaigns.push(campaign);
    await ann.types(channel, `/proofdesk subscribe ${campaign}`);
    await ann.sees(channel, /will be posted in this channel/, { timeoutMs: 60_000 });
  }
  return campaigns;
}

/** Waits for this many further polls of the bot. */
export async function polled({ marketplace }: Machine, times: number): Promise<void> {
  const count = async () =>
    (await marketplace.requests()).filter(({ path }) => path.includes('list_extend')).length;
  const before = await count();
  while ((await count()) < before + times) await pause(100);
}
