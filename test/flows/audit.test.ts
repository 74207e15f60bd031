import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntry, Trail } from '../../src/domain/audit.ts';
import type { AccountRef, WorkspaceId } from '../../src/domain/terms.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { createAudit } from '../../src/store/audit/index.ts';
import { sealsKey } from '../../src/store/audit/sealer.ts';
import { auditKey } from '../../src/store/audit/writer.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import { programPath } from '../harness/programs.ts';
import type { Seen } from '../harness/slack.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  payment_per_task: '0.10000',
} as const;
const finished = {
  campaign_id: 'f1n15hed',
  title: 'Visit a coffee shop',
  status: 'FINISHED',
  available_positions: 16,
  payment_per_task: '0.25000',
} as const;
const place = 'C01REVIEW';
const workspace = asId<WorkspaceId>('T0SANDBOX');
const ref: AccountRef = { workspace, account: accountIdOf(workspace, 'employer-demo-key') };

let world: World;
let redis: Redis;

async function begin(options: Parameters<typeof startWorld>[0]): Promise<void> {
  world = await startWorld({ scenario: { campaigns: [shelf, finished] }, ...options });
  redis = new Redis(world.redis.url);
}
async function end(): Promise<void> {
  redis.disconnect();
  await world.close();
}

async function entries(trail: Trail, what: AuditEntry['what']): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const entry of createAudit(redis).lines(trail)) if (entry.what === what) found.push(entry);
  return found;
}

async function taskWithCard(proof: string): Promise<{ task: string; card: Seen }> {
  const [task = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
  return { task, card: await world.ann.sees(place, new RegExp(proof)) };
}

/** The next private answer that reads so. */
async function asks(text: string, pattern: RegExp): Promise<Seen> {
  const before = (await world.ann.reads(place)).at(-1)?.ts ?? '';
  await world.ann.types(place, text);
  return world.ann.sees(place, pattern, { after: before });
}

/** Ann types a restart and confirms its total. */
async function restarts(
  positions: number,
  outcome: RegExp,
  meanwhile?: () => Promise<unknown>,
): Promise<void> {
  const { ann } = world;
  await ann.types(place, `/campaign restart ${finished.campaign_id} ${positions}`);
  const form = await ann.modal(new RegExp(`${positions} positions? × 0\\.25`));
  await meanwhile?.();
  await form.submit();
  await form.until(({ buttons }) => buttons.some((text) => text.startsWith('Add ')));
  await form.clicks('Add ');
  await (await ann.modal(outcome)).close();
}

/** `npm run audit -- verify` with the harness's Redis and keys. */
async function verify(keys = world.environment.PROOFDESK_ENCRYPTION_KEYS) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [await programPath('audit'), 'verify'], {
    env: { PATH, HOME, REDIS_URL: world.redis.url, PROOFDESK_ENCRYPTION_KEYS: keys },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

/** Waits until the last entry of a trail is sealed. */
async function sealed(trail: Trail): Promise<void> {
  await eventually('the last entry to be sealed', async () => {
    const [last] = await redis.xrevrange(auditKey(trail), '+', '-', 'COUNT', 1);
    const seal = await redis.lindex(sealsKey(trail), -1);
    return last !== undefined && seal !== null && JSON.parse(seal).to === last[0];
  });
}

describe('who did what', () => {
  const transport = 'http';
  beforeAll(() => begin({ transport, env: { UNDO_SECONDS: '120' } }));
  afterAll(end);

  test('a restart that is typed names who did it, its total, and what the marketplace answered', async () => {
    await restarts(4, /got 4 more positions/);
    const act = { by: 'U01ANN', how: 'form', campaign: finished.campaign_id, money: '1' };
    const change = { before: '16 positions', after: '20 positions' };
    const [claimed, done, ...others] = await entries(ref, 'restart');
    expect(claimed).toMatchObject({ ...act, ...change, stage: 'claimed' });
    expect(done).toMatchObject({ ...act, ...change, stage: 'done', answer: 'OK', act: claimed?.act });
    expect(others).toEqual([]);
  });

  test('a refused one says what the marketplace said', async () => {
    const become = (status: 'FINISHED' | 'RUNNING') =>
      world.marketplace.patchCampaign(finished.campaign_id, { status });
    await become('FINISHED');
    await restarts(2, /Only a finished campaign can be restarted/, () => become('RUNNING'));
    const [, , , failed] = await entries(ref, 'restart');
    expect(failed).toMatchObject({ campaign: finished.campaign_id, stage: 'failed' });
    expect(failed?.answer).toMatch(/^[A-Z_]+: /);
  });

  test('an undo by another person names both, and a bonus its amount', async () => {
    const { ann, ben } = world;
    const { task, card } = await taskWithCard('the upper shelf');
    await ann.clicks(card, 'OK');
    await card.until(({ buttons }) => buttons.includes('Undo'));
    await ben.clicks(card, 'Undo');
    await card.until(({ buttons }) => buttons.includes('NOK'));
    const [decided] = await entries(ref, 'decided');
    expect(decided).toMatchObject({ by: 'U01ANN', how: 'click', task, verdict: 'OK' });
    expect(await entries(ref, 'undone')).toMatchObject([
      { by: 'U02BEN', how: 'click', member: 'U01ANN', task, decision: decided?.decision },
    ]);

    await world.setUndo(0);
    await ann.chooses(card, '…', 'OK with bonus or favorite');
    const modal = await ann.modal(/bonus/i);
    await modal.fill('Bonus', '0.05');
    await modal.submit();
    await (await ann.modal(/bonus 0\.05 = /)).submit();
    await card.untilText(/:white_check_mark:.*with a bonus of 0\.05/);
    expect((await entries(ref, 'decided')).at(-1)).toMatchObject({ how: 'form', money: '0.05' });
    expect(await entries(ref, 'applied')).toMatchObject([
      { by: 'U01ANN', how: 'job', task, rating: 'OK', before: 'NOTRATED', money: '0.05', answer: 'OK' },
    ]);
  });

  test('workers, messages and planned changes name who changed them, and an unanswered call says so', async () => {
    const { ann, ben, marketplace } = world;
    const [worker = ''] = (await marketplace.state()).workers.map(({ worker_id }) => worker_id);
    await ann.clicks(await asks('/proofdesk workers', /Excluded workers/), 'Exclude by id');
    const form = await ann.modal(/Worker ids/);
    await form.fill('Worker ids', worker);
    await form.submit();
    await form.until(({ text }) => !/Updating the exclude list|Worker ids/.test(text));
    await form.close();
    const [claimed, excluded] = await entries(ref, 'exclude worker');
    expect(claimed).toMatchObject({ by: 'U01ANN', how: 'form', worker, stage: 'claimed' });
    expect(excluded).toMatchObject({ worker, stage: 'done', act: claimed?.act });

    const message = await marketplace.write({ subject: 'Out of stock' });
    const announced = await ben.sees(place, /Out of stock/);
    await ben.clicks(announced, 'Move to the trash');
    await announced.untilText(/Moved to the trash by @Ben/);
    expect((await entries(ref, 'trash message')).map(({ stage }) => stage)).toEqual(['claimed', 'done']);
    expect((await entries(ref, 'trash message')).at(-1)).toMatchObject({
      by: 'U02BEN',
      how: 'click',
      message,
    });

    await asks(`/campaign retarget ${shelf.campaign_id} US`, /now open to workers in United States/);
    await marketplace.settings({ retargetWaitSeconds: 3_600 });
    const refusal = await asks(`/campaign retarget ${shelf.campaign_id} FR -IT`, /can be changed again from/);
    await ann.clicks(refusal, 'Schedule this change');
    await refusal.untilText(/1 country change is planned/);
    await ann.clicks(refusal, 'Cancel');
    await refusal.untilText(/is canceled/);
    const [planned] = await entries(ref, 'plan retarget');
    expect(planned).toMatchObject({
      by: 'U01ANN',
      how: 'click',
      campaign: shelf.campaign_id,
      after: 'FR except IT',
    });
    expect(await entries(ref, 'cancel retarget')).toMatchObject([{ by: 'U01ANN', act: planned?.act }]);

    await marketplace.patchCampaign(finished.campaign_id, { status: 'FINISHED' });
    await marketplace.fault({ match: { path: 'restart_campaign' }, kind: 'drop-after' });
    await restarts(1, /may or may not have got/);
    expect((await entries(ref, 'restart')).at(-1)).toMatchObject({ stage: 'unknown', money: '0.25' });
    const list = await asks('/proofdesk audit', /outcome unknown: the marketplace gave no clear answer/);
    expect(list.text).toMatch(/@Ann.* planned a change of countries/);
  });

  test('a key, a subscription, and its end are in the trail of the workspace', async () => {
    const { ben } = world;
    expect(await entries({ workspace }, 'connect')).toMatchObject([{ how: 'setting', account: ref.account }]);
    await ben.types(place, `/proofdesk subscribe ${shelf.campaign_id}`);
    await ben.sees(place, /are posted in this channel/);
    await ben.types(place, '/proofdesk unsubscribe');
    await ben.sees(place, /no longer posted|Nothing .* posted|ended/i);
    const [byConfiguration, byBen] = await entries({ workspace }, 'subscribe');
    expect(byConfiguration).toMatchObject({ how: 'setting', account: ref.account, channel: place });
    expect(byBen).toMatchObject({
      by: 'U02BEN',
      how: 'command',
      campaign: shelf.campaign_id,
      channel: place,
    });
    const ended = await entries({ workspace }, 'unsubscribe');
    expect(ended).toHaveLength(2);
    expect(ended[0]).toMatchObject({ by: 'U02BEN', how: 'command', channel: place });
  });

  test('/proofdesk audit shows it in sentences, filtered, by page and as a file', async () => {
    const { ann } = world;
    const list = await asks('/proofdesk audit', /Audit/);
    expect(list.ephemeral).toBe(true);
    expect(list.text).toMatch(/@Ben.* ended a subscription/s);
    expect(list.text).not.toMatch(/connected an API key/);
    await ann.clicks(list, 'Older');
    await list.untilText(/A setting of Proofdesk.* connected an API key/);
    expect(list.text).toMatch(/@Ben.* undid @Ann Reyes’s OK\ntask of .* · \*Photo of a shelf\*/);
    expect(list.text).toMatch(
      /@Ann.* restarted the campaign\n\*Visit a coffee shop\* · 16 positions → 20 positions · total 1\.00/,
    );
    // The claim of an act whose end is known is no line of its own.
    expect(list.text.match(/restart(?:ed)? the campaign/g)).toHaveLength(2);
    expect(list.text).not.toContain(finished.campaign_id);
    await ann.clicks(list, 'Newest');
    await list.until(({ buttons }) => !buttons.includes('Newest'));

    await ann.clicks(list, 'Filter');
    const filter = await ann.modal(/Filter the audit/);
    await filter.select('What', 'Restarted the campaign');
    await filter.select('Campaign', finished.title);
    await filter.fill('Money, at least', 'much');
    expect((await filter.submit()).errors).toEqual({
      'Money, at least': 'Enter the amount as a number such as 1250.50 or 0.05, without a currency sign.',
    });
    await filter.fill('Money, at least', '0.5');
    await filter.submit();
    await list.untilText(/restarted the campaign · Visit a coffee shop · 0\.5 or more/);
    expect(list.text).toContain('16 positions → 20 positions');
    expect(list.text).not.toMatch(/undid|subscription/);

    const typed = await asks('/proofdesk audit who @ben <!here>', /Audit/);
    expect(typed.text).toMatch(
      /“who .*” was ignored, because this command takes no search text\. These are all entries\. Choose Filter/,
    );
    expect(JSON.stringify(typed.raw.blocks)).not.toContain('<!here>');

    await ann.clicks(list, 'Send as a file');
    await ann.sees(place, /The file is in your direct messages/);
    const { files } = await world.slack.state();
    expect(files.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^audit-.*\.csv$/));
  });
});

describe('npm run audit -- verify', () => {
  let decided: string[];
  beforeAll(async () => {
    await begin({});
    const { card } = await taskWithCard('a shelf');
    await world.ann.clicks(card, 'OK');
    await card.untilText(/:white_check_mark:/);
    await sealed(ref);
    await sealed({ workspace });
    await world.stopBots();
    decided = (await redis.xrange(auditKey(ref), '-', '+')).map(([id]) => id);
  });
  afterAll(end);

  const account = `Account ${workspace}/${ref.account}`;

  /** Runs the check on a trail that somebody has tampered with, then puts it back as it was. */
  async function tampered(change: () => Promise<unknown>) {
    const keys = [auditKey(ref), sealsKey(ref)];
    const copies = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    await change();
    const found = await verify();
    for (const [index, key] of keys.entries()) await redis.restore(key, 0, copies[index] ?? '', 'REPLACE');
    return found;
  }

  test('passes on what nobody has touched, and needs the keys', async () => {
    const { code, output } = await verify();
    expect(output).toMatch(new RegExp(`^ok {5}${account}: \\d+ entries, \\d+ seals?\\.$`, 'm'));
    expect(output).toMatch(new RegExp(`^ok {5}Workspace ${workspace} `, 'm'));
    expect(code).toBe(0);
    const other = await verify(Buffer.alloc(32, 8).toString('base64'));
    expect(other).toMatchObject({ code: 1, output: expect.stringContaining('a key that is not configured') });
    const both = await verify(
      `${Buffer.alloc(32, 8).toString('base64')},${Buffer.alloc(32, 7).toString('base64')}`,
    );
    expect(both.code).toBe(0);
  });

  test('finds a changed entry, and which', async () => {
    const [first = ''] = decided;
    const { code, output } = await tampered(async () => {
      const stored = await redis.xrange(auditKey(ref), '-', '+');
      await redis.del(auditKey(ref));
      for (const [id, [field = '', text = '']] of stored)
        await redis.xadd(auditKey(ref), id, field, id === first ? text.replace('U01ANN', 'U02BEN') : text);
    });
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^WRONG {2}${account}`, 'm'));
    expect(output).toContain(`First problem: Entry ${first} `);
  });

  test('finds a removed entry, also the last, and the last with its seal', async () => {
    const last = decided.at(-1) ?? '';
    const gone = await tampered(() => redis.xdel(auditKey(ref), last));
    expect(gone).toMatchObject({ code: 1, output: expect.stringContaining(`Entry ${last} `) });
    const unsealed = await tampered(async () => {
      await redis.xdel(auditKey(ref), last);
      await redis.rpop(sealsKey(ref));
    });
    expect(unsealed).toMatchObject({
      code: 1,
      output: expect.stringContaining('is missing: it was removed'),
    });
  });

  test('finds an entry that somebody else has written, sealed or not', async () => {
    const forged = JSON.stringify({ v: 2, at: 1, what: 'applied', by: 'U01ANN', how: 'job' });
    const { code, output } = await tampered(() => redis.xadd(auditKey(ref), '*', 'entry', forged));
    expect(code).toBe(1);
    expect(output).toMatch(/was not written by Proofdesk, or was copied/);
    expect(output).toMatch(/1 not sealed yet, the first of /);
  });
});
