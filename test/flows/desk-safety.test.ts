import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Person } from '@proofdesk/slack-sandbox/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { givesRole, paidShelf as shelf } from '../harness/acts.ts';
import { createRedisClock } from '../harness/clock.ts';
import {
  asksDesk,
  comesToDesk,
  type Desk,
  deskLink,
  linkParts,
  samplePage,
  signsIn,
} from '../harness/desk.ts';
import { eventually } from '../harness/eventually.ts';
import { isReady } from '../harness/health.ts';
import { serveLargeDownloads } from '../harness/large-downloads.ts';
import { sharedWorld, worldPerTest } from '../harness/worlds.ts';

const review = 'C01REVIEW';
const other = 'C02OTHER';
const workspace = {
  users: [
    { id: 'U01ANN', name: 'ann', real_name: 'Ann Reyes' },
    { id: 'U02BEN', name: 'ben', real_name: 'Ben Okafor' },
    { id: 'U04DAN', name: 'dan', real_name: 'Dan Moss' },
    { id: 'U05EVE', name: 'eve', real_name: 'Eve Stone' },
  ],
  channels: [
    { id: review, name: 'review', members: ['U01ANN', 'U02BEN'] },
    { id: other, name: 'other', members: ['U01ANN', 'U02BEN', 'U04DAN', 'U05EVE'] },
  ],
};
const world = sharedWorld({
  transport: 'http',
  deskFolder: samplePage,
  scenario: { campaigns: [shelf] },
  workspace,
  env: { ACCOUNT_OWNERS: 'U01ANN', UNDO_SECONDS: '60' },
});
let ann: Person;
let address: string;
beforeEach(() => {
  ({ ann } = world);
  address = `http://127.0.0.1:${world.port}`;
});

const ended = /Your session has ended\. Press Open the desk in Slack to come back\./;

describe('a link', () => {
  test('works once', async () => {
    const link = await deskLink(ann);
    await signsIn(link);
    const again = await asksDesk(address, '/desk/session', { body: { ticket: linkParts(link).ticket } });
    expect(again).toMatchObject({
      status: 401,
      said: { error: expect.stringContaining('This link has been used') },
    });
    expect(again.headers.get('set-cookie')).toBeNull();
  });

  test('cannot be guessed, nor can a session', async () => {
    const desk = await comesToDesk(ann);
    const guess = (at: number) => `T0SANDBOX.U01ANN.${String(at).padStart(43, 'x')}`;
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) =>
        asksDesk(address, '/desk/session', { body: { ticket: guess(at) } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    for (const cookie of [
      guess(1),
      '',
      'T0OTHER.U01ANN.',
      desk.cookie.replace('U01ANN', 'U02BEN'),
      `${desk.cookie}x`,
    ])
      expect(
        (
          await asksDesk(address, '/desk/api/me', {
            headers: { cookie: `proofdesk_desk=${cookie.replace('proofdesk_desk=', '')}` },
          })
        ).status,
      ).toBe(401);
    expect((await desk.me()).member).toBe('U01ANN');
    // A ticket of one’s own makes nobody else.
    for (const [from, to] of [
      ['U01ANN', 'U02BEN'],
      ['T0SANDBOX', 'T0OTHER'],
    ] as const) {
      const ticket = linkParts(await deskLink(ann)).ticket.replace(from, to);
      expect((await asksDesk(address, '/desk/session', { body: { ticket } })).status).toBe(401);
    }
  });

  test('is in no address, notification or log', async () => {
    const link = await deskLink(ann);
    const { ticket } = linkParts(link);
    const cookie = await signsIn(link);
    await asksDesk(address, '/desk/api/me', { headers: { cookie } });
    const secrets = [ticket, cookie.split('=')[1] ?? ''].map((token) => token.split('.')[2] ?? '');
    expect(secrets.every((secret) => secret.length === 43)).toBe(true);
    const log = world.log.join('\n');
    for (const secret of secrets) {
      expect(log).not.toContain(secret);
      expect(await world.redis.mentions(secret)).toEqual([]);
    }
  });
});

describe('a link that is older than a minute', () => {
  const clock = createRedisClock();
  const { begin } = worldPerTest({
    deskFolder: samplePage,
    scenario: { campaigns: [shelf] },
    redisClock: clock,
  });
  afterEach(() => clock.remove());

  test('opens nothing; a session ends after 12 hours', async () => {
    const late = await begin();
    const link = await deskLink(late.ann);
    const desk = await comesToDesk(late.ann);
    clock.shift(61_000);
    const { ticket } = linkParts(link);
    expect((await asksDesk(desk.address, '/desk/session', { body: { ticket } })).status).toBe(401);
    expect((await desk.asks('/desk/api/me')).status).toBe(200);
    clock.shift(12 * 3_600_000 + 1_000);
    expect((await desk.asks('/desk/api/me')).status).toBe(401);
  });
});

describe('a session', () => {
  test('is a cookie that no script reads and no other site sends', async () => {
    const { ticket } = linkParts(await deskLink(ann));
    const { headers, said } = await asksDesk(address, '/desk/session', { body: { ticket, isFramed: true } });
    expect(headers.get('set-cookie')).toMatch(
      /^proofdesk_desk=[\w.-]+; Path=\/desk; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    // Without DESK_EMBED, no token is given out.
    expect(said).toEqual({});
  });

  test('ends when its member signs out, in that browser alone', async () => {
    const [one, another] = [await comesToDesk(ann), await comesToDesk(ann)];
    await one.signsOut();
    expect(await one.asks('/desk/api/me')).toMatchObject({
      status: 401,
      said: { error: expect.stringMatching(ended) },
    });
    expect((await another.asks('/desk/api/me')).status).toBe(200);
  });

  test('hears nothing more once it has ended: signed out, without the role, deactivated; others go on hearing', async () => {
    const eve = world.slack.person('U05EVE');
    await givesRole(ann, 'Reviewer', eve.id);
    const [own, another] = [await comesToDesk(ann), await comesToDesk(ann)];
    const desks = [own, await comesToDesk(eve), await comesToDesk(world.ben)];
    const news = await Promise.all(desks.map((desk) => desk.listens()));
    const goesOn = await another.listens();
    await own.signsOut();
    const settings = await ann.enters('/proofdesk settings', /@Eve/);
    await (await settings.opens('Remove', /Saved\./)).close({ all: true });
    await world.slack.userPatch('U02BEN', { deleted: true });
    for (const one of news) await eventually('the end of the news', one.isOver, 30_000);
    expect(goesOn.isOver()).toBe(false);
    goesOn.stop();
    await world.slack.userPatch('U02BEN', { deleted: false });
  });

  test('is that of the page: a page whose browser has another one since does nothing in its name', async () => {
    const [own, colleague] = [await comesToDesk(ann), await comesToDesk(world.ben)];
    const shown = { 'x-desk-session': (await own.me()).session };
    expect((await own.asks('/desk/api/me', { headers: shown })).status).toBe(200);
    const { task } = await world.taskWithCard('in whose name');
    const body = { id: 'b', task, round: 1, verdict: 'OK', comment: '' };
    expect(await colleague.asks('/desk/api/rate', { body, headers: shown })).toMatchObject({
      status: 401,
      said: { error: expect.stringMatching(ended) },
    });
    expect((await own.row(task))?.decided).toBeUndefined();
  });

  test('ends when its member is deactivated', async () => {
    const desk = await comesToDesk(world.ben);
    await world.slack.userPatch('U02BEN', { deleted: true });
    const isOver = async () => ended.test(JSON.stringify((await desk.asks('/desk/api/me')).said));
    await eventually('the end', isOver);
    await world.slack.userPatch('U02BEN', { deleted: false });
  });

  test('ends with its member’s role', async () => {
    const dan = world.slack.person('U04DAN');
    await givesRole(ann, 'Reviewer', dan.id);
    const { task, card } = await world.taskWithCard('while I may');
    const desk = await comesToDesk(dan);
    const made = await desk.rates([task], 'OK');
    expect(made).toMatchObject([{ kind: 'done' }]);
    const settings = await ann.enters('/proofdesk settings', /@Dan/);
    await (await settings.opens('Remove', /Saved\./)).close({ all: true });
    const decision = made[0]?.row?.decided?.id ?? '';
    const again = { id: 'x', task, round: 1, verdict: 'NOK', comment: 'too late' };
    for (const [path, body] of [
      ['/desk/api/me'],
      ['/desk/api/queue', { label: '' }],
      ['/desk/api/tasks', { task }],
      ['/desk/api/events'],
      ['/desk/api/rows', { tasks: [task] }],
      ['/desk/api/rate', again],
      ['/desk/api/undo', { task, decision }],
      ['/desk/api/assign', { task, seen: '' }],
      ['/desk/api/note', { task, id: 'n', text: 'still here' }],
      ['/desk/api/typed', { task, round: 1, verdict: 'NOK', text: 'still' }],
      ['/desk/api/members'],
    ] as const) {
      const answer = await desk.asks(path, body === undefined ? {} : { body });
      expect(answer, path).toMatchObject({
        status: 401,
        said: { error: expect.stringMatching(/Only reviewers can/) },
      });
    }
    expect((await card.refresh()).text).toContain('*OK* by @Dan Moss');
    expect(card.text).not.toContain('still here');
  });

  test('undoes a colleague’s decision only for a manager', async () => {
    const { task, card } = await world.taskWithCard('decided by Ann');
    await ann.clicks(card, 'OK', /\*OK\* by @Ann/);
    const desk = await comesToDesk(world.ben);
    const { decided } = (await desk.row(task)) ?? {};
    const answer = await desk.asks('/desk/api/undo', { body: { task, decision: decided?.id } });
    expect(answer).toMatchObject({
      status: 403,
      said: { error: expect.stringMatching(/Only managers can undo a colleague’s decision/) },
    });
    expect(await (await comesToDesk(ann)).undoes(task, decided?.id ?? '')).toMatchObject({ kind: 'done' });
  });
});

describe('requests', () => {
  let desk: Desk;
  let task: string;
  beforeEach(async () => {
    desk = await comesToDesk(ann);
    ({ task } = await world.taskWithCard(`forged ${performance.now()}`));
  });

  test('that another site sends change nothing', async () => {
    const body = { id: 'f', task, round: 1, verdict: 'OK', comment: '' };
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '' },
      { origin: address, 'content-type': 'text/plain' },
      { origin: address, 'content-type': 'application/x-www-form-urlencoded' },
      { origin: `${address}.evil.example` },
    ]) {
      const answer = await desk.asks('/desk/api/rate', { body, headers });
      expect(answer, JSON.stringify(headers)).toMatchObject({
        status: 403,
        said: { error: 'This request did not come from the desk.' },
      });
    }
    const missing = await fetch(`${address}/desk/sign-out`, {
      method: 'POST',
      headers: { cookie: desk.cookie, 'content-type': 'application/json' },
    });
    expect(missing.status).toBe(403);
    expect((await desk.row(task))?.decided).toBeUndefined();
  });

  test('that are malformed, too long or for nothing are refused in a sentence', async () => {
    const all = [
      [400, '/desk/api/rate', { id: 'g', task, round: 1, verdict: 'GOOD', comment: '' }],
      [400, '/desk/api/rows', '{'],
      [400, '/desk/api/rows', { tasks: Array.from({ length: 201 }, () => task) }],
      [413, '/desk/api/note', { task, id: 'n', text: 'x'.repeat(70_000) }],
      [404, '/desk/api/nothing', {}],
      [404, '/desk/api/tasks', { task: 'none' }],
      [404, `/desk/api/proof?task=${task}&round=1&index=99`, undefined],
      [404, `/desk/api/proof?task=${task}&round=7&index=1`, undefined],
      [404, '/desk/assets/%2e%2e%2F1', undefined],
    ] as const;
    for (const [status, path, body] of all) {
      const answer = await desk.asks(path, body === undefined ? {} : { body });
      expect(answer, path).toMatchObject({ status, said: { error: expect.stringMatching(/^[A-Z].*\.$/) } });
    }
    expect((await desk.asks('/desk/api/me', { method: 'DELETE' })).status).toBe(404);
  });

  test('of pages that listen are two hundred at once; others are answered all the same', async () => {
    const pages = await Promise.all(Array.from({ length: 200 }, () => desk.listens()));
    const { status, text } = await desk.asks('/desk/api/events');
    expect(`${status}: ${text}`).toMatch(
      /^503: .*Too many pages are open\. Close those that you do not need\./,
    );
    expect((await desk.asks('/desk/api/me')).status).toBe(200);
    for (const page of pages) page.stop();
    const again = await eventually('room', () => desk.listens().catch(() => undefined));
    again.stop();
  });

  test('say so while Redis is away, and are answered once it is back', async () => {
    world.redis.pause();
    const away = await desk.asks('/desk/api/me');
    world.redis.resume();
    expect(away).toMatchObject({
      status: 503,
      said: { error: expect.stringMatching(/^Proofdesk cannot reach its database/) },
    });
    await eventually('an answer', async () => (await desk.asks('/desk/api/me')).status === 200);
  });

  test('are answered with headers that keep the page to itself, whatever they are for', async () => {
    const paths = [
      '/desk',
      '/desk/assets/index-0a1b2c3d.js',
      '/desk/api/me',
      '/desk/api/nothing',
      '/desk/api/members',
      '/desk/none',
      `/desk/api/proof?task=${task}&round=1&index=1`,
    ];
    for (const path of paths) {
      const { headers, status } = await desk.asks(path);
      const isAsset = path.includes('/assets/');
      const expected = {
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': isAsset ? 'public, max-age=31536000, immutable' : 'no-store',
      };
      expect(Object.fromEntries(headers), `${path} ${status}`).toMatchObject(expected);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy, path).toContain("default-src 'none'");
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy, path).not.toContain('unsafe');
    }
  });
});

describe('a proof that is hostile', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const html = '<html><script>alert(1)</script></html>';
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test('is never served as what a browser runs', async () => {
    const desk = await comesToDesk(ann);
    const files = [
      { filename: 'picture.svg', content_type: 'image/svg+xml', base64: base64(svg) },
      { filename: 'page.html', content_type: 'text/html', base64: base64(html) },
      { filename: 'script.png', content_type: 'image/png', base64: base64(html) },
      {
        filename: '"; filename="x.html\r\nset-cookie: a=b.png',
        content_type: 'text/html',
        base64: base64(html),
      },
    ];
    const { task } = await world.taskWithCard('hostile files', { files });
    const shown = await eventually('its files', async () => {
      const found = await desk.task(task);
      return found.files.length === files.length && found;
    });
    for (const { url } of shown.files) {
      const { status, headers } = await desk.asks(url);
      expect(status).toBe(200);
      expect(headers.get('content-type'), url).toBe('application/octet-stream');
      expect(headers.get('content-disposition'), url).toBe('attachment');
      expect(headers.get('content-security-policy')).toBe(
        "sandbox; default-src 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('set-cookie')).toBeNull();
    }
    expect((await asksDesk(address, shown.files[0]?.url ?? '')).status).toBe(401);
  });
});

describe('a proof that is too large', () => {
  const { create } = worldPerTest({ deskFolder: samplePage, scenario: { campaigns: [shelf] } });

  test('is refused in a sentence, whether or not its length is announced', async () => {
    const large = await create();
    const downloads = await serveLargeDownloads(large.marketplaceUrl, 21_000_000);
    large.environment.MARKETPLACE_BASE_URL = downloads.url;
    await large.startBot();
    const files = [{ filename: 'large.pdf', content_type: 'application/pdf', base64: 'bGFyZ2U=' }];
    const { task } = await large.taskWithCard('a large file', { files });
    const desk = await comesToDesk(large.ann);
    const [file] = await eventually('its file', async () => {
      const found = (await desk.task(task)).files;
      return found.length > 0 && found;
    });
    for (const isTold of [true, false]) {
      downloads.tellLength(isTold);
      expect(await desk.asks(file?.url ?? '')).toMatchObject({
        status: 413,
        said: { error: 'This file is larger than 20 MB. Open it on the website.' },
      });
    }
    await downloads.close();
  });
});

describe('pages that are asked for and not read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-page-'));
  const { begin } = worldPerTest({ transport: 'http', deskFolder: folder, scenario: { campaigns: [shelf] } });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('leave Slack and health checks their connections', async () => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<title>Desk</title>');
    writeFileSync(join(folder, 'assets/large-0a1b.js'), randomBytes(4_000_000));
    const flooded = await begin();
    const asked = 'GET /desk/assets/large-0a1b.js HTTP/1.1\r\nHost: desk.example\r\n\r\n'.repeat(8);
    const sockets: Socket[] = [];
    /** Asks on so many new connections, of which nothing more than the beginning of an answer is read. */
    const askOn = async (count: number) => {
      const opened = Array.from({ length: count }, () => connect(flooded.port, '127.0.0.1'));
      sockets.push(...opened);
      let begun = 0;
      for (const socket of opened) {
        socket.on('error', () => undefined).once('connect', () => socket.write(asked));
        socket.once('readable', () => {
          begun += 1;
        });
      }
      await eventually('their answers to begin', () => begun === count);
    };
    for (let batch = 0; batch < 6; batch += 1) await askOn(90);
    for (let times = 0; times < 5; times += 1) expect(await isReady(flooded)).toBe(true);
    const { task, card } = await flooded.taskWithCard('rated meanwhile');
    await flooded.ann.clicks(card, 'OK', /\*OK\* by @Ann/);
    await flooded.marketplace.rated(task, 'OK');
    for (const socket of sockets) socket.destroy();
  });
});

describe('a desk in Slack’s frame', () => {
  const { begin } = worldPerTest({
    deskFolder: samplePage,
    scenario: { campaigns: [shelf] },
    workspace,
    env: { DESK_EMBED: 'on', ACCOUNT_OWNERS: 'U01ANN' },
  });

  test('opens beside the card, at its task, for those who may rate; others are told why not', async () => {
    const framed = await begin();
    const { task, card } = await framed.taskWithCard('opened beside');
    const { entity, shown } = await framed.ann.opensEntity(card);
    // What everybody sees of it says nothing that opens the desk.
    expect(JSON.stringify(entity)).not.toContain('/desk#');
    expect((await fetch(entity.url)).headers.get('content-type')).toContain('text/html');
    const { title, full_size_preview: frame } = shown?.entity_payload.attributes ?? {};
    expect(title).toEqual({ text: shelf.title });
    expect(frame).toMatchObject({ is_supported: true, mime_type: 'application/vnd.slack-embed' });
    const { address: own, ticket } = linkParts(frame?.preview_url ?? '');
    const { said } = await asksDesk(own, '/desk/session', { body: { ticket, isFramed: true } });
    expect(said).toMatchObject({ task, token: expect.stringContaining('U01ANN') });

    const dan = framed.slack.person('U04DAN');
    const refused = await dan.opensEntity(card);
    expect(refused.shown).toBeUndefined();
    expect(refused.error?.custom_message).toMatch(/^Only reviewers can/);
  });

  test('is framed by Slack alone, and needs no cookie', async () => {
    const framed = await begin();
    const link = await deskLink(framed.ann);
    const { address: own, ticket } = linkParts(link);
    const { headers, said } = await asksDesk(own, '/desk/session', { body: { ticket, isFramed: true } });
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('content-security-policy')).toContain(
      'frame-ancestors https://*.slack.com https://*.slack-gov.com https://*.slack-mcps.com',
    );
    const { token } = said as { token: string };
    const authorization = `Bearer ${token}`;
    expect((await asksDesk(own, '/desk/api/me', { headers: { authorization } })).status).toBe(200);
    expect(
      (await asksDesk(own, '/desk/api/me', { headers: { authorization: `${authorization}x` } })).status,
    ).toBe(401);
  });
});
