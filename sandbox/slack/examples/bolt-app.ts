/**
 * A Bolt app, independent of this project, in the sandbox workspace: a command that answers with a button, a modal, and a
 * home tab. Run it in a folder without manifest.yml, or with one that has the command /hello:
 *
 *   npm run sandbox:slack -- --port 4000
 *   npx tsx sandbox/slack/examples/bolt-app.ts
 *
 * Then open http://localhost:4000/ and type /hello, or open the app's home.
 */
import { App, type BlockAction } from '@slack/bolt';
import type { HomeView, ModalView } from '@slack/types';

const app = new App({
  token: 'xoxb-sandbox',
  appToken: 'xapp-sandbox',
  socketMode: true,
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL ?? 'http://localhost:4000/api/' },
});

const wishes: string[] = [];

const form: ModalView = {
  type: 'modal',
  callback_id: 'wish',
  title: { type: 'plain_text', text: 'A wish' },
  submit: { type: 'plain_text', text: 'Wish' },
  blocks: [
    {
      type: 'input',
      block_id: 'wish',
      label: { type: 'plain_text', text: 'What do you wish for?' },
      element: { type: 'plain_text_input', action_id: 'text' },
    },
  ],
};

/** Returns the home tab, with every wish so far. */
function home(): HomeView {
  const list = wishes.length === 0 ? 'Nobody has wished for anything.' : wishes.join('\n');
  return {
    type: 'home',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Wishes' } },
      { type: 'section', text: { type: 'plain_text', text: list } },
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: 'open_wish', text: { type: 'plain_text', text: 'Make a wish' } },
        ],
      },
    ],
  };
}

app.command('/hello', async ({ command, ack, respond }) => {
  await ack();
  await respond({
    text: `Hello, <@${command.user_id}>.`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `Hello, <@${command.user_id}>.` } },
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: 'wave', text: { type: 'plain_text', text: 'Wave' }, style: 'primary' },
          { type: 'button', action_id: 'open_wish', text: { type: 'plain_text', text: 'Make a wish' } },
        ],
      },
    ],
  });
});

app.action('wave', async ({ ack, respond }) => {
  await ack();
  await respond({ replace_original: true, text: 'You waved.' });
});

app.action<BlockAction>('open_wish', async ({ ack, body, client }) => {
  await ack();
  await client.views.open({ trigger_id: body.trigger_id, view: form });
});

app.view('wish', async ({ ack, view, body, client }) => {
  const text = view.state.values.wish?.text?.value?.trim() ?? '';
  if (text.length < 3) {
    await ack({ response_action: 'errors', errors: { wish: 'Wish for something longer.' } });
    return;
  }
  await ack();
  wishes.push(text);
  await client.views.publish({ user_id: body.user.id, view: home() });
});

app.event('app_home_opened', async ({ event, client }) => {
  await client.views.publish({ user_id: event.user, view: home() });
});

await app.start();
console.log('The app is connected to the sandbox workspace.');
