import { createHmac } from 'node:crypto';

/** Returns the headers with which Slack signs a body. */
export function signatureOf(body: string, secret: string) {
  const time = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${signature}` };
}

/** Posts a body to the request URL as Slack does, signed. Rejects when there is no answer. */
export async function postSigned(
  port: number,
  body: string,
  { type = 'application/json', secret = 'sandbox-signing-secret', timeoutMs = 60_000 } = {},
): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/slack/events`, {
    method: 'POST',
    headers: { 'content-type': type, ...signatureOf(body, secret) },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
}
