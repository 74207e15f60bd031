import type { ActResult, SandboxState } from '../model.ts';

/** The whole state of the workspace, as the server keeps it. */
export async function readState(): Promise<SandboxState> {
  const response = await fetch('/_sandbox/state');
  if (!response.ok) throw new Error(`The workspace answered ${response.status}.`);
  return (await response.json()) as SandboxState;
}

/**
 * Acts for a person: `POST /_sandbox/<what>`. Never throws: a server that does not answer reads like an app that does
 * not, with the reason in `error`.
 */
export async function act(what: string, body: Record<string, unknown>): Promise<ActResult>;
export async function act<Answer extends object>(
  what: string,
  body: Record<string, unknown>,
): Promise<ActResult & Partial<Answer>>;
export async function act(what: string, body: Record<string, unknown>): Promise<ActResult> {
  try {
    const response = await fetch(`/_sandbox/${what}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Partial<ActResult>;
    return { ok: response.ok, acked: true, ms: 0, ...answer };
  } catch {
    return { ok: false, acked: false, ms: 0, error: 'the workspace does not answer' };
  }
}

/** Whether the person saw the operation time out: the app did not acknowledge in time. */
export function timedOut(result: ActResult): boolean {
  return !result.acked && (result.error ?? 'operation_timeout').startsWith('operation_timeout');
}

/** What to tell the person when their action came to nothing; undefined when all is well. */
export function complaint(result: ActResult, app: string): string | undefined {
  if (timedOut(result)) return `${app} did not answer: operation timed out. Try again in a moment.`;
  return result.ok ? undefined : `That did not work: ${result.error ?? 'unknown error'}.`;
}
