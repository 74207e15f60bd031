import { join } from 'node:path';
import type * as protocol from '@proofdesk/desk/protocol';
import type { Person } from '@proofdesk/slack-sandbox/testing';
import { eventually } from './eventually.ts';

/** A page that stands for the built one, for tests that speak to the bot as it does. */
export const samplePage = join(import.meta.dirname, 'desk-page');

/** An answer of the bot to a page. */
export interface DeskAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What it says; undefined unless it is JSON. */
  readonly said: unknown;
}

type Headers_ = Readonly<Record<string, string>>;

/** Sends a request as a page of this address does, unless `headers` say otherwise; `body` makes it a POST. */
export async function asksDesk(
  address: string,
  path: string,
  { body, headers = {}, method }: { body?: unknown; headers?: Headers_; method?: string } = {},
): Promise<DeskAnswer> {
  const json = { origin: address, 'content-type': 'application/json' };
  const answer = await fetch(`${address}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body === undefined ? {} : json), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    said: isJson ? JSON.parse(text) : undefined,
  };
}

/** Returns the address and the ticket of a link to the desk. */
export function linkParts(link: string): { address: string; ticket: string } {
  const { origin, pathname, hash } = new URL(link);
  if (pathname !== '/desk') throw new Error(`no link to a desk: ${pathname}`);
  return { address: origin, ticket: hash.slice(1) };
}

/** Presses *Open the desk* in Home. Returns the link. */
export async function deskLink(person: Person): Promise<string> {
  await person.opensHome();
  const home = await person.home(/Reviewing/);
  const shown = await home.opens('Open the desk', /works once/);
  const [link = ''] = shown.links;
  await shown.close({ all: true });
  return link;
}

/** Exchanges a ticket for a session. Returns its cookie. */
export async function signsIn(link: string): Promise<string> {
  const { address, ticket } = linkParts(link);
  const { status, headers, text } = await asksDesk(address, '/desk/session', { body: { ticket } });
  const [cookie] = (headers.get('set-cookie') ?? '').split(';');
  if (status !== 200 || !cookie) throw new Error(`not admitted: ${status} ${text}`);
  return cookie;
}

export type Desk = Awaited<ReturnType<typeof comesToDesk>>;

let decisions = 0;

/** A person comes to the desk by a link, and works there as its page does. */
export async function comesToDesk(person: Person, link?: string) {
  const shown = link ?? (await deskLink(person));
  const { address } = linkParts(shown);
  const cookie = await signsIn(shown);
  const headers = { cookie };

  /** Asks, and fails unless it is answered. */
  async function said<T>(path: string, body?: unknown): Promise<T> {
    const answer = await asksDesk(address, path, { headers, ...(body === undefined ? {} : { body }) });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.said as T;
  }
  const one = async (task: string): Promise<protocol.Row | undefined> =>
    (await said<protocol.Row[]>('/desk/api/rows', { tasks: [task] }))[0];

  return {
    address,
    cookie,
    asks: (path: string, more: Parameters<typeof asksDesk>[2] = {}) =>
      asksDesk(address, path, { ...more, headers: { cookie, ...more.headers } }),
    me: () => said<protocol.Me>('/desk/api/me'),
    queue: (filter = {}) => said<string[]>('/desk/api/queue', { label: '', ...filter }),
    row: one,
    /** Waits until a row is so. */
    rowWhere: (task: string, holds: (row: protocol.Row) => boolean) =>
      eventually(`the row of ${task}`, async () => {
        const row = await one(task);
        return row !== undefined && holds(row) && row;
      }),
    task: (id: string) => said<protocol.Task>('/desk/api/tasks', { task: id }),
    /** Looks at a task, and holds the next ones. Returns who else has which of them, and of those it only asks about. */
    looks: async (task: string, ahead: readonly string[] = [], ask: readonly string[] = []) => {
      const tasks = [task, ...ahead, ...ask];
      const rows = await said<protocol.Row[]>('/desk/api/rows', { tasks, tab: 'tab', task, ahead });
      return Object.fromEntries(rows.flatMap(({ task: id, heldBy }) => (heldBy ? [[id, heldBy]] : [])));
    },
    rates: async (
      tasks: readonly string[],
      verdict: protocol.Verdict,
      { comment = '', ids, ...more }: { comment?: string; reason?: string; ids?: readonly string[] } = {},
    ) => {
      const rows = await said<protocol.Row[]>('/desk/api/rows', { tasks });
      const rounds = new Map(rows.map(({ task, round }) => [task, round]));
      decisions += 1;
      const press = `d-${decisions}`;
      const made = tasks.map((task, at) => {
        const about = { id: ids?.[at] ?? `${press}-${at}`, task, round: rounds.get(task) ?? 1 };
        return said<protocol.Outcome>('/desk/api/rate', { ...more, ...about, verdict, comment });
      });
      return Promise.all(made);
    },
    undoes: (task: string, decision: string) => said<protocol.Outcome>('/desk/api/undo', { task, decision }),
    /** Assigns the task of a row, as it was shown; `to` absent: to nobody. */
    assigns: ({ task, assignment: seen }: protocol.Row, to?: string) =>
      said<protocol.Outcome>('/desk/api/assign', { task, seen, ...(to ? { to } : {}) }),
    notes: (task: string, text: string, id = 'n1') =>
      said<protocol.Outcome>('/desk/api/note', { task, id, text }),
    types: (task: string, verdict: 'NOK' | 'REVISE', text: string, round = 1) =>
      said('/desk/api/typed', { task, round, verdict, text }),
    members: () => said<protocol.Members>('/desk/api/members'),
    /** Listens until `stop`. Returns what was told. */
    async listens() {
      const ending = new AbortController();
      const answer = await fetch(`${address}/desk/api/events`, { headers, signal: ending.signal });
      if (answer.status !== 200) throw new Error(`not told: ${answer.status}`);
      const told: string[] = [];
      let isOver = false;
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of answer.body ?? []) told.push(decoder.decode(chunk as Uint8Array));
      })();
      reading
        .catch(() => undefined)
        .finally(() => {
          isOver = true;
        });
      return {
        headers: answer.headers,
        hears: (task: string) => eventually(`news of ${task}`, () => told.join('').includes(task)),
        isOver: () => isOver,
        stop: () => ending.abort(),
      };
    },
    signsOut: () => said('/desk/sign-out', {}),
  };
}
