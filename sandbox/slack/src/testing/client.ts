import type { ActResult } from '../index.ts';
import { controlSandbox } from './control.ts';

/** How long something is waited for before the wait fails: CI's machine may be busy. */
const patienceMs = process.env.CI ? 60_000 : 15_000;

type Press = (element: Readonly<Record<string, unknown>>, option?: unknown) => void;
const followers = new Set<Press>();

/** Follows what people press and choose, in all workspaces: for checks of what tests cover. */
export const onPress = (follow: Press): void => void followers.add(follow);

/** Tells who follows it that an element was pressed, or a menu's option chosen. */
export const pressed: Press = (element, option) => {
  for (const follow of followers) follow(element, option);
};

/** Calls to a sandbox workspace's `/_sandbox/`. */
export type SandboxClient = {
  get: <Answer>(path: string) => Promise<Answer>;
  send: <Answer>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => Promise<Answer>;
  /** Acts for a person. Throws if the act is impossible; a timeout is a normal answer. */
  act: <Answer extends ActResult = ActResult>(path: string, body: unknown) => Promise<Answer>;
  /**
   * Retries after every change (and every `everyMs`) until there is a value; after `timeoutMs`, throws the error from
   * `failure`.
   */
  waitFor: <Value>(
    attempt: () => Promise<Value | undefined>,
    failure: () => string | Promise<string>,
    timeoutMs?: number,
    everyMs?: number,
  ) => Promise<Value>;
};

export function sandboxClient(url: string): SandboxClient {
  const call = async <Answer>(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    const { status, text } = await controlSandbox(`${url}/_sandbox/${path}`, method, body, signal);
    const answer = JSON.parse(text) as Answer & { error?: string };
    if (status >= 400) throw new Error(`${method} /_sandbox/${path}: ${answer.error ?? status}`);
    return answer;
  };

  return {
    get: (path) => call('GET', path),
    send: (method, path, body) => call(method, path, body),
    act: async <Answer extends ActResult>(path: string, body: unknown): Promise<Answer> => {
      const answer = await call<Answer>('POST', path, body);
      const impossible = !answer.ok && !answer.acked && answer.ms === 0 && answer.error !== undefined;
      if (impossible) throw new Error(`${path}: ${answer.error}`);
      return answer;
    },
    waitFor: async (attempt, failure, timeoutMs = patienceMs, everyMs = timeoutMs) => {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const { changes } = await call<{ changes: number }>('GET', 'changes?after=-1');
        const value = await attempt();
        if (value !== undefined) return value;
        const left = deadline - Date.now();
        if (left <= 0) throw new Error(await failure());
        const signal = AbortSignal.timeout(Math.min(left, everyMs));
        await call('GET', `changes?after=${changes}`, undefined, signal).catch((error: unknown) => {
          if (!(error instanceof DOMException)) throw error;
        });
      }
    },
  };
}
