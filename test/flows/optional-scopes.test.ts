import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { beginsCampaign, place, proofFile, shelf } from '../harness/acts.ts';
import { sharedWorld } from '../harness/worlds.ts';

// An admin has granted the app none of the scopes that manifest.yml lets them refuse.
const world = sharedWorld({ scenario: { campaigns: [shelf] } });
const { ann, marketplace, slack } = world;
beforeAll(async () => {
  const { bot, bot_optional } = (
    parse(readFileSync('manifest.yml', 'utf8')) as {
      oauth_config: { scopes: { bot: string[]; bot_optional: string[] } };
    }
  ).oauth_config.scopes;
  await slack.settings({ scopes: bot.filter((scope) => !bot_optional.includes(scope)) });
});

test('a task is rated without its pictures, and its files say which scope they need', async () => {
  const { task, card } = await world.taskWithCard('a shelf without a picture', {
    files: [proofFile('shelf.png')],
  });
  const modal = await ann.opens(card, 'Picture…', /Files of this task/);
  await modal.untilText(
    /shelf\.png.*\n.*may not post files here\. Ask an admin to give it the scope `files:write`/,
  );
  await ann.clicks(card, 'OK', /\*OK\* by @Ann/);
  await marketplace.rated(task, 'OK');
});

test('the results and the audit come without their files, and say which scope these need', async () => {
  await ann.asks('/campaign results c0ffee01', /Ask an admin to give it the scope `files:write`/);
  const list = await ann.asks('/proofdesk audit', /Audit/);
  await ann.clicks(list, 'Send as a file');
  await ann.sees(place, /not allowed to do this\. Ask an admin to give it the scope `files:write`/);
});

test('a file that is attached in a form says which scope it needs', async () => {
  const work = await beginsCampaign(ann);
  const picture = await ann.uploads('brief.png', Buffer.from('bytes'), 'image/png');
  await work.attach('File for the workers', [picture.id]);
  const texts = { 'What the worker does': 'Look.', 'What the worker submits as proof': 'A name' };
  const check = await work.next(/Nothing is sent before/, texts);
  await check.opens('Create', /Slack did not deliver “brief\.png”.* the scope files:read/);
  expect(await marketplace.calls('new_campaign')).toEqual([]);
});
