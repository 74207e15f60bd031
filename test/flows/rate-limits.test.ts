import { afterEach, expect, test } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const receipt = { campaign_id: 'c0ffee02', title: 'Transcribe a receipt', status: 'RUNNING' } as const;

let world: World;
afterEach(() => world?.close());

test('a 429 delays that channel alone: other channels, answers and redraws go on', async () => {
  world = await startWorld({ scenario: { campaigns: [shelf, receipt] } });
  const { ann, marketplace, slack } = world;
  await ann.types('C02INBOX', `/proofdesk subscribe ${receipt.campaign_id}`);
  await ann.sees('C02INBOX', /come to this channel/);
  await marketplace.submit({ campaign_id: receipt.campaign_id, proof: ['before'] });
  const card = await ann.sees('C02INBOX', /before/);

  await slack.fault({
    match: { method: 'chat.postMessage', channel: 'C01REVIEW' },
    kind: '429',
    retryAfter: 5,
  });
  await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['held up'] });
  await slack.request(({ method, status }) => method === 'chat.postMessage' && status === 429);
  await marketplace.submit({ campaign_id: receipt.campaign_id, proof: ['not held up'] });
  await ann.clicks(card, 'OK');
  await card.untilText(/OK\* by @Ann/);
  await ann.types('C01REVIEW', '/proofdesk help');
  await ann.sees('C01REVIEW', /connect/);
  await ann.sees('C02INBOX', /not held up/);
  const held = async () => (await ann.reads('C01REVIEW')).filter(({ text }) => /held up/.test(text));
  expect(await held()).toEqual([]);

  await ann.sees('C01REVIEW', /held up/);
  expect(await held()).toHaveLength(1);
});
