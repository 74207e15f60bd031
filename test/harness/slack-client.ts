import type { ActResult } from '@proofdesk/slack-sandbox';
import { controlSandbox } from './control.ts';
import { patienceMs } from './patience.ts';

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
