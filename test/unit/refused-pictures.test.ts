import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { withoutRefusedPictures } from '../../src/slack/files.ts';
import { SlackError } from '../../src/slack/slack-error.ts';

const image = (id: string) => ({ type: 'image', slack_file: { id }, alt_text: id });
const text = { type: 'section', text: { type: 'mrkdwn', text: 'A task' } };

/** Slack's refusal of blocks. */
const refusal = (error: string, ...pointers: string[]) => {
  const messages = pointers.map((pointer) => `[ERROR] invalid slack file [json-pointer:${pointer}]`);
  const answer = { ok: false, error, response_metadata: { messages } } as never;
  return new SlackError('chat.postMessage', new WebAPIPlatformError(answer));
};

/** Sends three pictures below a text to a Slack that answers so, until it takes them. Returns what was sent each time. */
async function sent(...answers: SlackError[]) {
  const tries: string[] = [];
  const run = withoutRefusedPictures(
    (isRefused) => ({ blocks: [text, ...['F1', 'F2', 'F3'].filter((id) => !isRefused(id)).map(image)] }),
    async ({ blocks }) => {
      tries.push(blocks.map((block) => ('slack_file' in block ? block.slack_file.id : '-')).join(' '));
      const refused = answers.shift();
      if (refused) throw refused;
      return 'posted';
    },
  );
  const outcome = await run.catch((error: SlackError) => error.code);
  return { tries, outcome };
}

test('only the picture that Slack names is left out', async () => {
  const { tries, outcome } = await sent(refusal('invalid_blocks', '/blocks/2/slack_file'));
  expect(tries).toEqual(['- F1 F2 F3', '- F1 F3']);
  expect(outcome).toEqual({ answer: 'posted', isAnyLeftOut: true });
  const views = refusal('invalid_arguments', '/view/blocks/1/slack_file', '/view/blocks/3/slack_file');
  expect((await sent(views)).tries).toEqual(['- F1 F2 F3', '- F2']);
});

test('pictures that Slack names one after the other are left out one after the other', async () => {
  const [first, second] = [1, 2].map((at) => refusal('invalid_blocks', `/blocks/${at}/slack_file`));
  const { tries } = await sent(first as SlackError, second as SlackError);
  expect(tries).toEqual(['- F1 F2 F3', '- F2 F3', '- F2']);
});

test('all pictures are left out if Slack names no block, and nothing is tried again without one', async () => {
  const { tries, outcome } = await sent(refusal('invalid_blocks'), refusal('invalid_blocks'));
  expect([tries, outcome]).toEqual([['- F1 F2 F3', '-'], 'invalid_blocks']);
});

test('a refusal of another block, or for another reason, leaves no picture out', async () => {
  const { tries, outcome } = await sent(refusal('invalid_blocks', '/blocks/0/text'));
  expect([tries, outcome]).toEqual([['- F1 F2 F3'], 'invalid_blocks']);
  expect((await sent(refusal('msg_too_long'))).tries).toHaveLength(1);
});
