import { createRequire } from 'node:module';

// The baseline of benchmarks: a Bolt app that only acks. Sends `ready` to its parent.
const bolt = createRequire(import.meta.url)('@slack/bolt');
const { PORT, SLACK_API_URL } = process.env;
const app = new bolt.App({
  token: 'xoxb-sandbox',
  logLevel: bolt.LogLevel.ERROR,
  clientOptions: { slackApiUrl: SLACK_API_URL },
  socketMode: true,
  appToken: 'xapp-sandbox',
});
app.action(/./, ({ ack }) => ack());
app.command(/./, ({ ack }) => ack());
await app.start(Number(PORT));
process.send('ready');
process.on('SIGTERM', () => process.exit(0));
