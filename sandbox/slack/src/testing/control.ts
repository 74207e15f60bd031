import { Agent, request } from 'undici';

/** Several connections, so that other calls proceed while one waits for the next change. */
const connections = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

/** Calls the control API of a sandbox. Not with `fetch`, which is too slow for so many calls. */
export async function controlSandbox(
  url: string,
  method: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<{ status: number; text: string }> {
  const answer = await request(url, {
    method: method as 'GET',
    dispatcher: connections,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}
