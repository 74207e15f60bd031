import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause, setInterval } from 'node:timers/promises';
import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { afterEach, expect, test } from 'vitest';
import { type BotProcess, startBotProcess } from '../harness/bot-process.ts';
import { eventually } from '../harness/eventually.ts';
import { ask } from '../harness/health.ts';
import { freePort } from '../harness/ports.ts';
import { createWorld, transports, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';

/** How often a load balancer asks a process whether it is ready (ms): until then it does not know. */
const askedEveryMs = 1_000;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const isReady = async (port: number) => (await ask(port, '/readyz'))?.status === 200;

/**
 * A load balancer: passes each request to a process that was ready when it last asked. Returns its address, and whether it
 * uses a process.
 */
async function startBalancer(ports: readonly number[]) {
  const ready = new Set<number>();
  const over = new AbortController();
  /** Each by itself: one that is slow to answer keeps its state, and does not keep another that is ending. */
  const look = async (port: number) => {
    const answer = await Promise.race([isReady(port), pause(askedEveryMs)]);
    if (answer === true) ready.add(port);
    if (answer === false) ready.delete(port);
  };
  await Promise.all(ports.map(look));
  for (const port of ports)
    void (async () => {
      for await (const _ of setInterval(askedEveryMs, undefined, { signal: over.signal })) await look(port);
    })().catch(() => undefined);
  let turn = 0;
  async function pass(request: IncomingMessage): Promise<{ status: number; text: string }> {
    turn += 1;
    const port = [...ready][turn % ready.size];
    const given = Object.entries(request.headers).filter(([name]) => /^(x-slack|content-type)/.test(name));
    // Each over a connection of its own, of which none can be closed while it is chosen.
    const answer = await fetch(`http://127.0.0.1:${port}${request.url}`, {
      method: 'POST',
      headers: { ...(Object.fromEntries(given) as Record<string, string>), connection: 'close' },
      body: await buffer(request),
    });
    return { status: answer.status, text: await answer.text() };
  }
  const server = createServer((request, response) => {
    pass(request).then(
      ({ status, text }) => response.writeHead(status, { 'content-type': 'application/json' }).end(text),
      () => response.writeHead(502).end(),
    );
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  ends.push(() => {
    over.abort();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/slack/events`, uses: (one: number) => ready.has(one) };
}

/** Starts two processes of the built bot on one Redis, each at a port of its own. */
async function startTwo({ environment }: World) {
  const ports = [await freePort(), await freePort()];
  const running = new Map<number, BotProcess>();
  ends.push(() => {
    for (const { child } of running.values()) child.kill('SIGKILL');
  });
  async function start(port: number): Promise<void> {
    running.set(port, await startBotProcess({ ...environment, PORT: String(port) }));
    await eventually('a process to be ready', () => isReady(port));
  }
  await Promise.all(ports.map(start));
  return {
    ports,
    /** Stops each, and waits until its successor is used before the next. */
    async replaceEach(isUsed: (port: number) => boolean): Promise<void> {
      for (const port of ports) {
        const old = running.get(port);
        old?.child.kill('SIGTERM');
        expect(await old?.exit).toBe(0);
        await start(port);
        await eventually('its successor to be used', () => isUsed(port));
      }
    },
  };
}

/** Lets people do things again and again, until they are stopped. */
function again(...acts: (() => Promise<unknown>)[]) {
  let isOver = false;
  const loops = acts.map(async (act) => {
    while (!isOver) await act();
  });
  const all = Promise.all(loops);
  all.catch(() => undefined);
  return {
    stop: () => {
      isOver = true;
      return all;
    },
  };
}

test.each(transports)(
  'two processes over %s are replaced one after the other while people click: each click is answered in time, and acts once',
  async (transport) => {
    const world = await createWorld({ scenario: { campaigns: [shelf] }, transport });
    ends.push(() => world.close());
    const { ann, ben, chloe, marketplace, slack } = world;
    const two = await startTwo(world);
    const balancer = transport === 'http' ? await startBalancer(two.ports) : undefined;
    if (balancer) await slack.settings({ requestUrl: balancer.url });
    await marketplace.submit({ campaign_id: shelf.campaign_id, count: 5 });
    await ann.sees(place, /Photo of a shelf/);
    const rated = new Set<string>();
    let asked = 0;
    /** Slack waits for the ack for 3 seconds. */
    const inTime = ({ acked, error }: { acked: boolean; error?: string }) =>
      expect({ acked, error }).toEqual({ acked: true });
    const people = again(
      async () => {
        const cards = await ann.reads(place);
        const open = cards.find(({ ts, buttons }) => buttons.includes('OK') && !rated.has(ts));
        if (open === undefined) return pause(100);
        rated.add(open.ts);
        inTime(await ann.clicks(open, 'OK', /\*OK\* by @Ann/));
      },
      async () => {
        asked += 1;
        const after = await ben.lastIn(place);
        inTime(await ben.types(place, '/proofdesk help'));
        await ben.sees(place, /\/proofdesk subscribe/, { after });
      },
      async () => {
        const card = (await chloe.reads(place)).find(({ ts }) => rated.has(ts));
        if (card === undefined) return pause(100);
        inTime(await chloe.chooses(card, '…', 'Details…'));
        await chloe.modal(/Details of this task/);
        await chloe.closesAll();
      },
      async () => {
        await marketplace.submit({ campaign_id: shelf.campaign_id });
        await pause(500);
      },
    );
    await two.replaceEach((port) => balancer?.uses(port) ?? true);
    await people.stop();

    const isHelp = ({ ephemeral, text }: Seen) => ephemeral && text.includes('/proofdesk subscribe');
    const answers = (await ben.reads(place)).filter(isHelp);
    expect(answers).toHaveLength(asked);
    expect(rated.size).toBeGreaterThan(0);
    await eventually('each to be rated', async () => {
      const { tasks } = await marketplace.state();
      return tasks.filter(({ task_rating }) => task_rating === 'OK').length === rated.size;
    });
    const sent = (await marketplace.calls('/rate_task')).filter(({ applied }) => applied);
    const tasks = sent.flatMap(({ form }) => form.id_task ?? form['id_task[]']);
    expect(new Set(tasks).size).toBe(tasks.length);
  },
);
