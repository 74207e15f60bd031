/**
 * A Bolt app that knows nothing about this project, in the sandbox workspace. In a folder without manifest.yml, or with
 * one that has the command /hello:
 *
 *   npm run sandbox:slack -- --port 4000
 *   npx tsx examples/sandbox-bolt-app.ts
 *
 * Then open http://localhost:4000/ and type /hello.
 */
import { App } from '@slack/bolt';

const app = new App({
  token: 'xoxb-sandbox',
  appToken: 'xapp-sandbox',
  socketMode: true,
  clientOptions: { slackApiUrl: 'http://localhost:4000/api/' },
});

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
        ],
      },
    ],
  });
});

app.action('wave', async ({ ack, respond }) => {
  await ack();
  await respond({ replace_original: true, text: 'You waved.' });
});

await app.start();
console.log('The app is connected to the sandbox workspace.');
