import { polled } from './cards.ts';
import { pause, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// Measures the calls to Slack for a card with 0, 1 and 3 pictures: the post, two upload calls for each picture (its address,
// then its bytes), and one call that completes them together.

// All pictures differ, because a card is updated when its picture is submitted again.
const picture = (pictures: number, index: number) => ({
  filename: `shelf-${index}.png`,
  content_type: 'image/png',
  base64: Buffer.concat([
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    ),
    Buffer.from(`${pictures} ${index}`),
  ]).toString('base64'),
});
const fewest = { 0: 1, 1: 4, 3: 8 } as const;

const machine = await startMachine({ env: { OPEN_CARDS: '0' } });
try {
  const { marketplace, slack } = machine;
  const { campaign_id } = await marketplace.addCampaign({
    title: 'Photo of a shelf',
    status: 'RUNNING',
    available_positions: 100,
  });
  await machine.startBot();
  await polled(machine, 2);
  for (const [pictures, most] of Object.entries(fewest)) {
    await slack.clearRequests();
    const files = Array.from({ length: Number(pictures) }, (_, index) => picture(Number(pictures), index));
    await marketplace.submit({ campaign_id, files });
    const calls = async () =>
      (await slack.requests({ direction: 'in' })).filter(({ method }) =>
        /^(chat\.|files\.|upload$)/.test(method),
      );
    while (!(await calls()).some(({ method }) => method === 'chat.postMessage')) await pause(200);
    // No further calls may follow.
    await pause(isQuick ? 2_000 : 4_000);
    const made = await calls();
    console.log(`${pictures} pictures: ${made.map(({ method }) => method).join(', ')}`);
    report({
      what: `Slack calls of a card with ${pictures} pictures`,
      against: 'the fewest',
      value: made.length / most,
      most: 1,
    });
  }
} finally {
  await machine.stop();
}
