import { expect, test } from 'vitest';
import { beginsCampaign, place, previewsCampaign } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({ scenario: { seed: false, settings: { reviewSeconds: 3_600 } } });

const opens = () => world.ann.enters('/campaign new', /Positions per worker/);
const firstPage = (title: string) => beginsCampaign(world.ann, { title });
const checked = (title: string, payment = '0.25') => previewsCampaign(world.ann, { title, payment });

test('a page without inputs that cannot be taken has the Connect button for who is not connected any more', async () => {
  await begin({ env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined } });
  const connect = async () => {
    // The modal before it speaks of an API key, too.
    const form = await eventually('the form', async () => {
      const found = await world.ann.modal(/API key/);
      return found.inputs.length > 0 ? found : undefined;
    });
    await form.next(/You are connected/, { 'API key': 'employer-demo-key' });
  };
  await world.ann.types(place, '/proofdesk connect');
  await connect();
  const check = await checked('Cut off');
  // As whoever disconnects, and as a restored copy of Redis that lacks the key.
  await world.redis.loses('api-keys');
  await check.clicks('Create', /You’re not connected/);
  expect(check.text).toMatch(/You’re not connected .*Nothing is sent before/s);
  expect(check.buttons).toContain('Connect');
  // The form stays as it is.
  await check.clicks('Connect');
  await connect();
  expect(await world.marketplace.calls('new_campaign')).toEqual([]);
});

test('a page without inputs that cannot be taken names the id under which a fault of ours is logged', async () => {
  await begin();
  const check = await checked('Our fault');
  await world.redis.confuses('texts:new-campaign');
  await check.clicks('Create', /Something went wrong/);
  const id = /give Proofdesk’s operator this id: .?([0-9a-f]{8})/.exec(check.text)?.[1];
  expect(id).toBeDefined();
  expect(world.log.some((line) => line.includes(`"delivery":"${id}"`))).toBe(true);
  expect(check.text).toContain('Nothing is sent before');
});

test('what was begun and is open on its first page again shows what was typed there', async () => {
  await begin();
  const work = await firstPage('Back at the start');
  await work.opens('Back', /Positions per worker/);
  const form = await opens();
  await form.fill('Positions', '77');
  await form.clicks('Resume');
  await form.until(({ fields }) => fields.includes('Back at the start'));
  expect(form.fields).not.toContain('77');
});

test.each([
  ['is not kept', () => world.redis.loses('texts'), false],
  ['cannot be read', () => world.redis.spoils('texts:new-campaign'), true],
])('what was begun and %s any more is said to be gone', async (_, happens, isLogged) => {
  await begin();
  await firstPage('Too late');
  const form = await opens();
  await happens();
  await form.fill('Title', 'Typed anew');
  await form.clicks('Resume', /Your draft is no longer available/);
  expect(form.fields).toContain('Typed anew');
  expect(form.buttons).not.toContain('Resume');
  expect(world.log.some((line) => line.includes('stored draft unreadable'))).toBe(isLogged);
  expect(world.log.filter((line) => line.includes('interaction failed'))).toEqual([]);
});
