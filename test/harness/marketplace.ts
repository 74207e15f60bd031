import type { CampaignStatus, Rating } from '../../src/domain/terms.ts';
import type {
  FaultKind,
  Lie,
  SandboxState,
  Scenario,
  Settings,
} from '../../src/sandbox/marketplace/index.ts';
import { controlSandbox } from './control.ts';
import { eventually } from './eventually.ts';

/** A file as the control calls accept it. */
export interface SandboxFile {
  filename: string;
  content_type: string;
  base64: string;
  /** Its download answers DOWNLOAD ERROR. */
  broken?: boolean;
}

/** An API request as the sandbox logged it: see docs/sandbox.md. */
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

/** The actions and queries of tests on a running sandbox marketplace. Every call rejects if it is refused. */
export interface MarketplaceHandle {
  readonly url: string;
  /** Submits as a worker. Returns the ids of the new tasks, one unless `count` says otherwise. */
  submit(task?: {
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
  }): Promise<string[]>;
  /** Corrects a task in REVISE as its worker: the same id waits for a rating again. */
  correct(taskId: string, proof?: string[]): Promise<void>;
  /** Rates on the website; NOTREVIEWED to NOTRATED is the marketplace's own review. */
  rate(taskId: string, rating: Rating, comment?: string): Promise<void>;
  /** Writes to the employer. Returns the id of the message. */
  write(message?: {
    key?: string;
    subject?: string;
    message?: string;
    message_type?: string;
    attachment?: boolean;
    folder?: 'INBOX' | 'SENT' | 'TRASH';
    unread?: boolean;
    datetime?: string;
  }): Promise<string>;
  /** Creates another API key for the account that has the key `of`. */
  addKey(key: string, of?: string): Promise<void>;
  /** Revokes an API key. */
  revokeKey(key: string): Promise<void>;
  requests(since?: number): Promise<MarketplaceRequest[]>;
  /** Returns the API requests whose path contains this, oldest first. */
  calls(path: string): Promise<MarketplaceRequest[]>;
  /** Waits until so many more polls were answered. */
  polls(count?: number): Promise<void>;
  clearRequests(): Promise<void>;
  /** Adds a fault (once, unless `times` says otherwise). Returns its id. */
  fault(fault: {
    match?: { method?: string; path?: string; key?: string };
    kind: FaultKind;
    times?: number;
    probability?: number;
    delayMs?: number;
    retryAfter?: number;
    lagSeconds?: number;
    lie?: Lie;
    error?: string;
    errors?: string[];
  }): Promise<string>;
  /** Removes the fault with this id, or all faults. */
  clearFaults(id?: string): Promise<void>;
  settings(changes: Partial<Settings>): Promise<Settings>;
  state(): Promise<SandboxState>;
  /** Returns the task as the marketplace has it. Rejects if there is none. */
  task(taskId: string): Promise<SandboxState['tasks'][number]>;
  /** Waits until a task is rated so. */
  rated(taskId: string, rating: Rating): Promise<void>;
  addCampaign(campaign?: Omit<ScenarioCampaign, 'repeat'>): Promise<CampaignState>;
  patchCampaign(
    id: string,
    changes: Partial<Omit<ScenarioCampaign, 'campaign_id' | 'key' | 'tasks' | 'repeat'>> & {
      status?: CampaignStatus;
    },
  ): Promise<CampaignState>;
  /** Starts or stops the simulated workers. */
  workers(running: boolean, everySeconds?: number): Promise<void>;
  /** Resets world, settings, faults and log to the initial state or to a scenario. */
  reset(scenario?: Scenario): Promise<void>;
}

/** Returns the handle of the sandbox marketplace at `url`. */
export function marketplaceHandle(url: string): MarketplaceHandle {
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await controlSandbox(`${url}/_sandbox/${path}`, method, body);
    if (status >= 400) throw new Error(`sandbox marketplace: ${method} ${path} answered ${status}: ${text}`);
    return JSON.parse(text) as T;
  }
  const state = () => call<SandboxState>('GET', 'state');
  const calls = async (part: string) =>
    (await call<{ requests: MarketplaceRequest[] }>('GET', 'requests?since=0')).requests.filter(({ path }) =>
      path.includes(part),
    );
  const task = async (taskId: string) => {
    const found = (await state()).tasks.find(({ task_id }) => task_id === taskId);
    if (!found) throw new Error(`sandbox marketplace: no task ${taskId}`);
    return found;
  };
  return {
    url,
    submit: async (task = {}) => (await call<{ tasks: string[] }>('POST', 'submit', task)).tasks,
    correct: async (task_id, proof) => {
      await call('POST', 'correct', { task_id, proof });
    },
    rate: async (task_id, rating, comment) => {
      await call('POST', 'rate', { task_id, rating, comment });
    },
    write: async (message = {}) => (await call<{ message_id: string }>('POST', 'write', message)).message_id,
    addKey: async (key, of) => {
      await call('POST', 'keys', of === undefined ? { key } : { key, of });
    },
    revokeKey: async (key) => {
      await call('DELETE', `keys/${encodeURIComponent(key)}`);
    },
    requests: async (since = 0) =>
      (await call<{ requests: MarketplaceRequest[] }>('GET', `requests?since=${since}`)).requests,
    calls,
    polls: async (count = 3) => {
      const answered = async () => (await calls('list_extend')).filter(({ status }) => status).length;
      const before = await answered();
      await eventually(`${count} polls`, async () => (await answered()) >= before + count);
    },
    clearRequests: async () => {
      await call('DELETE', 'requests');
    },
    fault: async (fault) => (await call<{ id: string }>('POST', 'faults', fault)).id,
    clearFaults: async (id) => {
      await call('DELETE', id === undefined ? 'faults' : `faults/${id}`);
    },
    settings: (changes) => call('PATCH', 'settings', changes),
    state,
    task,
    rated: async (taskId, rating) => {
      await eventually(`${rating} of ${taskId}`, async () => (await task(taskId)).task_rating === rating);
    },
    addCampaign: (campaign = {}) => call('POST', 'campaigns', campaign),
    patchCampaign: (id, changes) => call('PATCH', `campaigns/${encodeURIComponent(id)}`, changes),
    workers: async (running, everySeconds) => {
      await call('POST', 'workers', { running, everySeconds });
    },
    reset: async (scenario) => {
      await call('POST', 'reset', scenario === undefined ? {} : { scenario });
    },
  };
}

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
