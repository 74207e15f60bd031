import { createSandboxSlack } from '@proofdesk/slack-sandbox';
import { type Seen, type SlackHandle, slackHandle } from '@proofdesk/slack-sandbox/testing';
import { afterEach, describe, expect, test } from 'vitest';
import {
  connects,
  decidesTogether,
  finishedShop,
  opensLimits,
  opensReason,
  opensSelection,
  paidShelf,
  place,
  presses,
  previewsCampaign,
  rates,
  restarts,
  shelf,
  startsReview,
} from '../harness/acts.ts';
import { startBotProcess } from '../harness/bot-process.ts';
import { runDoctor } from '../harness/doctor.ts';
import { ask, isDegraded, isReady } from '../harness/health.ts';
import { startTeams } from '../harness/teams.ts';
import { eventually, type WorldOptions, worldPerTest } from '../harness/worlds.ts';

const alpha = { id: 'T0ALPHA', name: 'Alpha', domain: 'alpha' };
const beta = { id: 'T0BETA', name: 'Beta', domain: 'beta' };
/** The organization that alpha is of. */
const acme = { id: 'E0ACME', name: 'Acme', domain: 'acme' };
/** Two employers of the marketplace. */
const keys = { alpha: 'employer-demo-key', beta: 'other-employer-demo-key' };

const { world, create } = worldPerTest({
  transport: 'http',
  scenario: { campaigns: [shelf] },
  workspace: { team: alpha },
  env: {
    SLACK_BOT_TOKEN: undefined,
    SLACK_CLIENT_ID: '1.2',
    SLACK_CLIENT_SECRET: 'a-client-secret',
    SLACK_STATE_SECRET: 'a-state-secret',
    MARKETPLACE_API_KEY: undefined,
    REVIEW_CHANNEL: undefined,
  },
});

/** Leases, rate limits, deliveries and jobs come and go by themselves. */
const isKept = (key: string) => !/:(lease|rate-limit|once|pauses)|queue:/.test(key);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await world.stopBots();
  for (const close of closing.splice(0)) await close();
});

/** Two workspaces in which everybody and everything has the same ids, and one bot that neither has installed yet. */
async function twoWorkspaces(options: WorldOptions = {}) {
  const teams = await startTeams();
  closing.push(() => teams.close());
  const { slackUrl, port, startBot } = await create({
    ...options,
    env: { ...options.env, SLACK_API_URL: teams.apiUrl },
  });
  const other = await createSandboxSlack({ workspace: { team: beta } });
  closing.push(() => other.close());
  const slack = slackHandle(other.url);
  await slack.settings({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
  teams.add(alpha, slackUrl);
  teams.add(beta, other.url);
  teams.add(acme, slackUrl, true);
  await startBot();
  return { teams, beta: { slack, ann: slack.person('U01ANN'), ben: slack.person('U02BEN') } };
}

/** Somebody opens the page for installing the app: where it leads, and what their browser keeps. */
async function begins() {
  const page = await fetch(`http://127.0.0.1:${world.port}/slack/install`, { redirect: 'manual' });
  const address = new URL(page.headers.get('location') ?? '');
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { address, cookie, state: address.searchParams.get('state') ?? '' };
}

/** Slack leads somebody back. */
async function page(query: Record<string, string>, cookie = '') {
  const address = `http://127.0.0.1:${world.port}/slack/oauth_redirect?${new URLSearchParams(query)}`;
  const answer = await fetch(address, { headers: { cookie } });
  return { status: answer.status, text: await answer.text() };
}

/** Slack leads somebody back who has allowed the app. */
const returns = (code: string, { state, cookie }: { state: string; cookie: string }) =>
  page({ code, state }, cookie);

async function install(...codes: string[]): Promise<void> {
  for (const code of codes) expect(await returns(code, await begins())).toMatchObject({ status: 200 });
}

/** Both workspaces have installed the app, and connected an account each. */
async function twoConnected(options: WorldOptions = {}) {
  const both = await twoWorkspaces(options);
  await install('alpha', 'beta');
  for (const [person, key] of [
    [world.ann, keys.alpha],
    [both.beta.ann, keys.beta],
  ] as const) {
    await (await connects(person, key)).untilText(/You are connected/);
    await person.asks('/proofdesk subscribe', /will be posted in this channel/);
  }
  return both;
}

describe('several workspaces', () => {
  test('each installs the app, connects an account of its own, and sees its own tasks', async () => {
    const { beta: other } = await twoConnected();
    const { ann, slack, marketplace, redis, log } = world;
    const { card, task } = await world.taskWithCard('the shelf of alpha');
    await ann.clicks(card, 'OK');
    await marketplace.rated(task, 'OK');
    await other.ann.asks('/campaign list', /no campaigns yet/);
    expect((await other.ann.reads(place)).filter(({ text }) => text.includes('shelf'))).toEqual([]);
    expect((await ask(world.port, '/readyz'))?.text).toMatch(/^ready/);
    expect(await redis.mentions('xoxb-alpha')).toEqual([]);
    expect(log.join('\n')).not.toContain('xoxb-alpha');
    expect(await slack.requests({ error: 'invalid_auth' })).toEqual([]);
    expect(await runDoctor(world.environment)).toMatchObject({
      wrong: [],
      output: expect.stringContaining('SLACK_CLIENT_ID: each workspace gets its own token at /slack/install'),
    });
  });

  test('one whose token stops working is told of in /readyz, and works again once it has installed the app again', async () => {
    const { teams, beta: other } = await twoConnected();
    const { ann } = world;
    teams.expire();
    await install('beta');
    await ann.types(place, '/proofdesk connect');
    const why =
      /Slack does not accept a workspace’s token \(invalid_auth\)\. Install the app there again: \/slack\/install\./;
    await eventually('the bot to say so', () => isDegraded(world, why));
    await other.ann.enters('/proofdesk settings', /Owners/);
    await install('alpha');
    await ann.enters('/proofdesk settings', /Owners/);
    await eventually('the bot to be ready', () => isReady(world));
  });

  test('an installation is begun and ended by one browser, once', async () => {
    await twoWorkspaces();
    const { address, ...mine } = await begins();
    expect(address.pathname).toBe('/oauth/v2/authorize');
    expect(address.searchParams.get('client_id')).toBe('1.2');
    expect(address.searchParams.get('scope')).toContain('chat:write');
    const theirs = await begins();
    expect(await world.redis.mentions('install-state')).toEqual([]);
    const refused = { status: 400, text: expect.stringContaining('Begin again at /slack/install') };
    expect(await returns('alpha', { ...mine, cookie: theirs.cookie })).toMatchObject(refused);
    expect(await returns('alpha', mine)).toMatchObject({
      status: 200,
      text: expect.stringContaining('Proofdesk is installed in Alpha'),
    });
    expect(await returns('alpha', mine)).toMatchObject(refused);
    expect(await returns('nowhere', await begins())).toMatchObject(refused);
    expect(await page({ error: 'access_denied' })).toMatchObject({
      status: 400,
      text: expect.stringContaining('Proofdesk was not installed. Begin again at /slack/install'),
    });
  });

  test('a workspace that has not installed the app is answered nothing', async () => {
    const { beta: other } = await twoWorkspaces();
    await install('alpha');
    await world.ann.asks('/proofdesk help', /connect/);
    await other.ann.types(place, '/proofdesk help');
    await world.ann.asks('/proofdesk help', /connect/);
    expect(await other.slack.requests({ direction: 'in' })).toEqual([]);
    expect(await world.redis.mentions(beta.id)).toEqual([]);
  });

  /** Ann acts in alpha, which has the app by its organization. */
  async function actsInOrganization() {
    const { ann, slack } = world;
    await ann.shortcut('start_review');
    const [known] = await slack.requests({ direction: 'out', method: 'shortcut' });
    const answers = (await ann.reads('D01ANN')).length;
    await slack.delivers('interactive', {
      ...(known?.payload as object),
      ...(await slack.answerable('U01ANN', place)),
      team: null,
      enterprise: { id: acme.id, name: acme.name },
      is_enterprise_install: true,
    });
    await eventually('an answer', async () => (await ann.reads('D01ANN')).length > answers);
  }

  test('one that its organization withdraws the app from loses its data, once Slack says so', async () => {
    const { teams } = await twoWorkspaces({ intervals: { schedulersMs: 1_000 } });
    await install('acme');
    await actsInOrganization();
    const { redis, slack } = world;
    const withdraws = async (n: number) => {
      await slack.delivers('events_api', {
        type: 'event_callback',
        event_id: `Ev0${n}`,
        team_id: null,
        event: { type: 'team_access_revoked', team_ids: [alpha.id] },
        authorizations: [
          { enterprise_id: acme.id, team_id: null, is_bot: true, is_enterprise_install: true },
        ],
      });
      await eventually('Slack to be asked', async () => teams.listings() === n);
    };
    await withdraws(1);
    await actsInOrganization();
    teams.withdraws(alpha);
    await withdraws(2);
    await eventually(
      'nothing of alpha to be left',
      async () => (await redis.mentions(alpha.id)).length === 0,
    );
    expect(await redis.mentions(acme.id)).toHaveLength(1);
  });

  test('whoever acts while Redis is away is told so, and keeps what they typed', async () => {
    await twoWorkspaces();
    await install('alpha');
    const { ann, ben, redis } = world;
    const form = await ann.enters('/proofdesk connect', /Connect your account/);
    await redis.persist();
    await redis.kill();
    const { errors } = await form.submit({ 'API key': keys.alpha, Name: 'default' });
    expect(Object.values(errors ?? {}).join()).toMatch(/database \(Redis\)/);
    await ben.asks('/proofdesk help', /database \(Redis\)/);
    await redis.restart();
    await eventually('the bot to be ready again', () => isReady(world));
    await form.submit();
    await form.untilText(/You are connected/);
  });

  test('one that removes the app loses its data in all processes, and no other does', async () => {
    const { beta: other } = await twoConnected({ intervals: { schedulersMs: 1_000 } });
    const { ann, redis } = world;
    await world.startBot({ PORT: '0' });
    const card = await world.card('the shelf of alpha');
    await other.ann.opensHome();
    await connects(other.ben, 'quiet-employer-demo-key', 'Other');
    expect((await redis.mentions(beta.id)).length).toBeGreaterThan(10);
    const ofAlpha = await redis.mentions(alpha.id);

    // An event alone proves nothing.
    await other.slack.event({ type: 'app_uninstalled' });
    await other.ann.asks('/proofdesk help', /connect/);
    await other.slack.settings({ tokenRevoked: true });
    await other.slack.event({ type: 'app_uninstalled' });
    await other.slack.event({ type: 'tokens_revoked', tokens: { bot: ['U0BOT'] } });
    await eventually('nothing of beta to be left', async () => (await redis.mentions(beta.id)).length === 0);
    expect(world.log.filter((line) => line.includes('"workspace-erased"')).join('\n')).not.toContain(
      alpha.id,
    );

    expect(await redis.mentions(alpha.id)).toEqual(expect.arrayContaining(ofAlpha.filter(isKept)));
    await ann.clicks(card, 'OK');
    await card.until(({ text }) => /OK.* by/.test(text));
    await other.slack.settings({ tokenRevoked: false });
    await install('beta');
    await other.ann.asks('/proofdesk disconnect', /not connected/);
  });
});

describe('the token of a workspace', () => {
  /** One workspace, which several processes serve: each delivery comes to any one of them. */
  async function overSockets(seconds: number, options: WorldOptions = {}) {
    const { teams } = await twoWorkspaces({
      ...options,
      transport: 'socket',
      env: { SLACK_APP_TOKEN: 'xapp-sandbox', SLACK_SIGNING_SECRET: undefined },
    });
    teams.tokensLast(seconds);
    await install('alpha');
    teams.tokensLast(43_200);
    return teams;
  }
  const asksForAForm = () => world.ann.enters('/proofdesk connect', /Connect your account/);

  test('is stored when Redis is back, if it goes away between Slack’s answer and that', async () => {
    const teams = await overSockets(300);
    const { ann, ben, redis } = world;
    await redis.persist();
    teams.beforeAnswer(async () => {
      teams.beforeAnswer(async () => undefined);
      await redis.kill();
    });
    await ann.types(place, '/proofdesk connect');
    await eventually('a refresh', () => teams.refreshes().length > 0);
    for (const _ of [1, 2]) await ben.asks('/proofdesk help', /database \(Redis\)/);
    await redis.restart();
    await eventually('the bot to be ready again', () => isReady(world));
    await asksForAForm();
    teams.revokesOlder();
    await asksForAForm();
    expect(teams.refreshes().length).toBe(1);
  });

  test('is refreshed before it expires, also where nothing happens', async () => {
    const teams = await overSockets(300, { intervals: { schedulersMs: 500 } });
    await eventually('a refresh', () => teams.refreshes().length > 0);
    teams.revokesOlder();
    await asksForAForm();
    expect(teams.refreshes().length).toBe(1);
  });

  test.each([
    ['is refreshed by another one, if Slack allows that', true],
    ['works until it expires, and the log says that the app has to be installed again', false],
  ])('whose refresh a killed process did not store %s', async (_, isTakenAgain) => {
    const teams = await overSockets(300);
    if (isTakenAgain) teams.keepsUsed();
    await world.stopBots();
    const killed = await startBotProcess({ ...world.environment, PORT: '0' });
    await killed.ready();
    teams.beforeAnswer(async () => {
      teams.beforeAnswer(async () => undefined);
      killed.child.kill('SIGKILL');
      await killed.exit;
    });
    await world.ann.types(place, '/proofdesk connect');
    await killed.exit;
    await world.startBot();
    await asksForAForm();
    const said = () => world.log.some((line) => /could not be refreshed.*\/slack\/install/.test(line));
    await eventually('another refresh', async () => {
      await asksForAForm();
      return teams.refreshes().length > 1;
    });
    if (!isTakenAgain) {
      await eventually('the log to say what to do', said);
      await asksForAForm();
      await install('alpha');
    }
    teams.revokesOlder();
    await asksForAForm();
  });
});

describe('what belongs to one workspace, in the hands of a person of another', () => {
  const proofs = ['the first shelf', 'the second shelf', 'the third shelf', 'the fourth shelf'];
  /** What only alpha may see. */
  const ownWords = new RegExp([shelf.title, shelf.campaign_id, finishedShop.title, ...proofs].join('|'), 'g');

  /** Somebody of alpha uses what there is, and leaves one task open: its card. */
  async function goesThrough(): Promise<Seen> {
    const { ann, taskWithCard } = world;
    const cards: Seen[] = [];
    for (const proof of proofs) cards.push((await taskWithCard.call(world, proof)).card);
    const [first, second, , open] = cards as [Seen, Seen, Seen, Seen];
    await ann.clicks(first, 'OK');
    await rates(ann, second, 'NOK', 'It is too dark to see.');
    await ann.picks(open, 'Details…', /Details of this task/);
    await ann.picks(open, 'Worker…', /^Worker$/m);
    await ann.opens(open, 'NOK', /Rate NOK/);
    await opensReason(await startsReview(ann, place), 'REVISE');
    const selection = await opensSelection(ann);
    await presses(selection, 'Select these 2');
    await decidesTogether(selection, 'OK');
    await previewsCampaign(ann);
    await restarts(ann, 'f1n15hed 10', /now has 10 more positions/, /10 positions ×/);
    await ann.asks('/campaign list', /campaign/);
    await (await opensLimits(ann)).close({ all: true });
    return open;
  }

  /** Sends to the bot, as a person of beta, everything that came from alpha, but for what people read in it. Returns how much. */
  async function carriesOver(slack: SlackHandle, answeredAt: 'their own address' | 'that of the first') {
    const all = await world.slack.requests({ direction: 'out' });
    const sent = all.filter(({ method }) => method !== 'slash_commands');
    for (const { payload } of sent) {
      const theirs = JSON.parse(JSON.stringify(payload).replaceAll(ownWords, '…')) as Record<string, unknown>;
      const { response_url, ...fresh } = await slack.answerable('U01ANN', place);
      const isEvent = theirs.type === 'event_callback';
      const now = {
        team: { id: beta.id, domain: beta.domain },
        user: { id: 'U01ANN', username: 'ann', name: 'ann', team_id: beta.id },
        team_id: beta.id,
        authorizations: [{ team_id: beta.id, enterprise_id: null, is_bot: true, user_id: 'U0BOT' }],
        ...fresh,
        ...(answeredAt === 'their own address' ? { response_url } : {}),
      };
      const changed = Object.entries(now).filter(([name]) => name in theirs);
      await slack.delivers(isEvent ? 'events_api' : 'interactive', {
        ...theirs,
        ...Object.fromEntries(changed),
      });
    }
    return sent.length;
  }

  test('is of the first one also when a form is submitted from there in a shared channel', async () => {
    const { beta: other } = await twoWorkspaces();
    await install('alpha', 'beta');
    const form = await connects(world.ann, keys.alpha);
    await form.untilText(/You are connected/);
    const sent = await world.slack.requests({ direction: 'out', method: 'view_submission' });
    await world.slack.delivers('interactive', {
      ...(sent[0]?.payload as object),
      team: { id: beta.id, domain: beta.domain },
      user: { id: 'U01ANN', username: 'ann', name: 'ann', team_id: beta.id },
    });
    await world.settled();
    await other.ann.asks('/proofdesk disconnect', /not connected/);
  });

  test.each(['their own address', 'that of the first'] as const)(
    'shows nothing of it, and does nothing, answered at %s',
    async (answeredAt) => {
      const { beta: other } = await twoConnected({
        scenario: { campaigns: [paidShelf, finishedShop] },
      });
      const { ann, slack, marketplace } = world;
      await slack.clearRequests();
      const open = await goesThrough();
      await world.settled();
      // Ann's own Home follows what she has done, at the latest when she ends a review, and shows it again and again.
      const homeIn = ({ view }: Record<string, unknown> = {}) => String(view).replace(/As of [^"]*/, '');
      const homes = () => slack.requests({ method: 'views.publish' });
      const before = (await homes()).length;
      await (await startsReview(ann, place)).close({ all: true });
      await eventually('Ann’s Home to have followed', async () => (await homes()).length > before);
      const shown = homeIn((await homes()).at(-1)?.args);
      await marketplace.clearRequests();
      await other.slack.clearRequests();
      const last = (await slack.requests()).at(-1)?.n;

      expect(await carriesOver(other.slack, answeredAt)).toBeGreaterThan(20);
      await other.ann.asks('/proofdesk help', /connect/);
      await world.settled();

      expect((await marketplace.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
      expect(JSON.stringify(await other.slack.requests({ direction: 'in' }))).not.toMatch(ownWords);
      const calls = (await slack.requests({ direction: 'in' }, last)).filter(
        ({ method, args }) =>
          /^(chat|views|response_url|files|conversations\.open)/.test(method) &&
          (method !== 'views.publish' || homeIn(args) !== shown),
      );
      expect(calls).toEqual([]);
      await ann.clicks(open, 'OK');
      await open.until(({ text }) => /OK.* by/.test(text));
    },
  );
});
