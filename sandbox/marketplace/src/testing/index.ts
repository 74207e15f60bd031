import { setTimeout } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { FaultKind, Lie, SandboxState, Scenario, Settings } from '../index.ts';
import type { CampaignStatus, Rating } from '../terms.ts';

/** A file as the control calls accept it. */
export interface SandboxFile {
  filename: string;
  content_type: string;
  base64: string;
  /** Its download answers DOWNLOAD ERROR. */
  broken?: boolean;
}

/** An API request as the sandbox logged it: see README.md. */
export interface MarketplaceRequest {
  n: number;
  at: string;
  method: string;
  path: string;
  query: Record<string, string>;
  form: Record<
    string,
    string | string[] | { filename: string; content_type: string; size: number; sha256: string }
  >;
  key: string;
  status: number | null;
  applied: boolean;
  encoding: string | null;
  error?: string;
  taskErrors?: Record<string, readonly string[]>;
  fault?: string;
}

type CampaignState = SandboxState['campaigns'][number];
type ScenarioCampaign = NonNullable<Scenario['campaigns']>[number];

/** A task as a worker submits it, or several. */
export interface Submission {
  campaign_id?: string;
  worker_id?: string;
  proof?: string[];
  files?: SandboxFile[];
  ip?: string;
  country?: string;
  user_agent?: string;
  file_proof_status?: string;
  rating?: 'NOTRATED' | 'NOTREVIEWED';
  finished_datetime?: string;
  csv_record_nr?: number;
  count?: number;
}

interface Fault {
  match?: { method?: string; path?: string; key?: string };
  kind: FaultKind;
  times?: number | undefined;
  probability?: number;
  delayMs?: number;
  retryAfter?: number;
  lagSeconds?: number;
  lie?: Lie;
  error?: string;
  errors?: string[];
}

/** Not `fetch`, which is too slow for so many calls. */
const connections = new Agent();

/** How long something is waited for before the wait fails: CI's machine may be busy. */
const patienceMs = process.env.CI ? 60_000 : 15_000;

/** Waits until a condition holds. On timeout, throws an error that names it. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const began = Date.now(); !(await holds()); await setTimeout(50))
    if (Date.now() - began > patienceMs) throw new Error(`waited ${patienceMs} ms for: ${what}`);
}

export type MarketplaceHandle = ReturnType<typeof marketplaceHandle>;

/** Returns the actions and queries of tests on the sandbox marketplace at `url`. Every call rejects if it is refused. */
export function marketplaceHandle(url: string) {
  async function call<T = void>(method: string, path: string, body?: unknown): Promise<T> {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const options = { method: method as 'GET', dispatcher: connections, ...(body === undefined ? {} : json) };
    const answer = await request(`${url}/_sandbox/${path}`, options);
    const text = await answer.body.text();
    if (answer.statusCode >= 400)
      throw new Error(`sandbox marketplace: ${method} ${path} answered ${answer.statusCode}: ${text}`);
    return JSON.parse(text) as T;
  }
  const state = () => call<SandboxState>('GET', 'state');
  const requests = async (since = 0) =>
    (await call<{ requests: MarketplaceRequest[] }>('GET', `requests?since=${since}`)).requests;
  /** Returns the API requests whose path contains this, oldest first. */
  const calls = async (part: string) => (await requests()).filter(({ path }) => path.includes(part));
  /** Returns the task as the marketplace has it. Rejects if there is none. */
  const task = async (taskId: string) => {
    const found = (await state()).tasks.find(({ task_id }) => task_id === taskId);
    if (!found) throw new Error(`sandbox marketplace: no task ${taskId}`);
    return found;
  };
  /** Adds a fault (once, unless `times` says otherwise; 0 is until it is removed). Returns its id. */
  const fault = async (input: Fault) => (await call<{ id: string }>('POST', 'faults', input)).id;
  return {
    url,
    /** Submits as a worker. Returns the ids of the new tasks, one unless `count` says otherwise. */
    submit: async (input: Submission = {}) =>
      (await call<{ tasks: string[] }>('POST', 'submit', input)).tasks,
    /** Corrects a task in REVISE as its worker: the same id waits for a rating again. */
    correct: (task_id: string, proof?: string[], { files }: Pick<Submission, 'files'> = {}) =>
      call('POST', 'correct', { task_id, proof, files }),
    /** Rates on the website; NOTREVIEWED to NOTRATED is the marketplace's own review. */
    rate: (task_id: string, rating: Rating, comment?: string) =>
      call('POST', 'rate', { task_id, rating, comment }),
    /** Writes to the employer. Returns the id of the message. */
    write: async (
      message: {
        key?: string;
        subject?: string;
        message?: string;
        message_type?: string;
        attachment?: boolean;
        folder?: 'INBOX' | 'SENT' | 'TRASH';
        unread?: boolean;
        datetime?: string;
      } = {},
    ) => (await call<{ message_id: string }>('POST', 'write', message)).message_id,
    /** Creates another API key for the account that has the key `of`. */
    addKey: (key: string, of?: string) => call('POST', 'keys', { key, of }),
    revokeKey: (key: string) => call('DELETE', `keys/${encodeURIComponent(key)}`),
    requests,
    calls,
    /** Waits until so many more polls, or other calls whose path contains this, were answered. */
    polls: async (count = 3, path = 'list_extend') => {
      const answered = async () => (await calls(path)).filter(({ status }) => status).length;
      const before = await answered();
      await until(`${count} × ${path}`, async () => (await answered()) >= before + count);
    },
    clearRequests: () => call('DELETE', 'requests'),
    fault,
    /** Answers calls whose path contains this with an error. */
    refuses: (path: string, error: string, times?: number) =>
      fault({ match: { path }, kind: 'error', error, times }),
    /** Answers calls whose path contains this so much later. */
    delays: (path: string, delayMs: number, times?: number) =>
      fault({ match: { path }, kind: 'latency', delayMs, times }),
    /** Removes the fault with this id, or all faults. */
    clearFaults: (id?: string) => call('DELETE', id === undefined ? 'faults' : `faults/${id}`),
    settings: (changes: Partial<Settings>) => call<Settings>('PATCH', 'settings', changes),
    state,
    task,
    /** Waits until a task is rated so. */
    rated: async (taskId: string, rating: Rating) => {
      await until(`${rating} of ${taskId}`, async () => (await task(taskId)).task_rating === rating);
    },
    addCampaign: (campaign: Omit<ScenarioCampaign, 'repeat'> = {}) =>
      call<CampaignState>('POST', 'campaigns', campaign),
    patchCampaign: (
      id: string,
      changes: Partial<Omit<ScenarioCampaign, 'campaign_id' | 'key' | 'tasks' | 'repeat'>> & {
        status?: CampaignStatus;
      },
    ) => call<CampaignState>('PATCH', `campaigns/${encodeURIComponent(id)}`, changes),
    /** Starts or stops the simulated workers. */
    workers: (running: boolean, everySeconds?: number) => call('POST', 'workers', { running, everySeconds }),
    /** Resets world, settings, faults and log to the initial state or to a scenario. */
    reset: (scenario?: Scenario) => call('POST', 'reset', { scenario }),
  };
}

/** The fields of a campaign that `new_campaign` accepts. */
export const newCampaign = {
  title: 'A new campaign',
  category: '0301',
  minutes_to_finish: '5',
  available_positions: '40',
  max_positions_per_worker: '2',
  payment_per_task: '0.08',
  description_type: 'SAME',
  required_work: 'Type it.',
  'required_proof[]': ['one', 'two'],
  ttr: '5',
  auto_rate: 'V',
  file_proof: '1',
  qt_required: '0',
};

/** A raw answer of the API. `body` is the JSON object; empty if the answer was not one. */
export interface RawAnswer {
  readonly http: number;
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly headers: Headers;
}

/** Returns the API through plain fetch, without a client, for tests of the sandbox itself. */
export function rawMarketplace(url: string, key = 'employer-demo-key') {
  async function call(method: string, path: string, init: RequestInit = {}): Promise<RawAnswer> {
    const response = await fetch(`${url}/${path}`, {
      ...init,
      method,
      headers: { ServiceApiKey: key, ...(init.headers as Record<string, string> | undefined) },
    });
    const text = await response.text();
    let body: Record<string, unknown> = {};
    try {
      body = JSON.parse(text) as Record<string, unknown>;
    } catch {
      // Not JSON; the test can check the text.
    }
    return { http: response.status, body, text, headers: response.headers };
  }
  function form(method: string) {
    return (path: string, fields: Record<string, string | readonly string[]> = {}) => {
      const body = new URLSearchParams();
      for (const [name, values] of Object.entries(fields)) {
        for (const value of typeof values === 'string' ? [values] : values) body.append(name, value);
      }
      return call(method, path, { body });
    };
  }
  return {
    get: (path: string, query: Record<string, string> = {}, headers: Record<string, string> = {}) => {
      const search = new URLSearchParams(query).toString();
      return call('GET', search === '' ? path : `${path}?${search}`, { headers });
    },
    put: form('PUT'),
    post: form('POST'),
    delete: form('DELETE'),
    multipart: (path: string, body: FormData) => call('POST', path, { body }),
  };
}
