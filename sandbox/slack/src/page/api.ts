import type { ActResult, Updates } from '../model.ts';

/** Reads the updates after a change; for -1 everything, or with `latest` only that many messages of each channel. */
export async function readUpdates(after: number, latest?: number): Promise<Updates> {
  const only = latest === undefined ? '' : `&latest=${latest}`;
  const response = await fetch(`/_sandbox/updates?after=${after}${only}`);
  if (!response.ok) throw new Error(`The workspace answered ${response.status}.`);
  return (await response.json()) as Updates;
}

/**
 * Acts for a person: `POST /_sandbox/<what>`. Never throws: if the server does not answer, the result is the same as for
 * an app that does not answer, with the reason in `error`.
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

/** Returns whether the operation timed out for the person, because the app did not acknowledge in time. */
export function timedOut(result: ActResult): boolean {
  return !result.acked && (result.error ?? 'operation_timeout').startsWith('operation_timeout');
}

/** Returns the error text for the person; undefined if their action succeeded. */
export function failureText(result: ActResult, app: string): string | undefined {
  if (timedOut(result)) return `${app} didn’t respond: operation timed out. Try again in a moment.`;
  return result.ok ? undefined : `That did not work: ${result.error ?? 'unknown error'}.`;
}
