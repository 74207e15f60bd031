import { request } from 'undici';

/**
 * Calls like the global `fetch`, for short text requests and answers, at a third of its cost: all of the bot's messages go
 * through here. It never follows a redirect: data sent to Slack, token included, go nowhere else.
 */
export async function slackFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const { method, headers, body, signal } = init ?? {};
  // A form with files, for example.
  if (body != null && typeof body !== 'string') return fetch(input, { ...init, redirect: 'error' });
  const url = input instanceof Request ? input.url : String(input);
  const answer = await request(url, {
    method: (method ?? 'GET') as 'GET' | 'POST',
    headers: Object.fromEntries(new Headers(headers)),
    body: body ?? null,
    signal: signal ?? null,
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300 && answer.statusCode < 400) throw new TypeError('unexpected redirect');
  const found = Object.entries(answer.headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  // A response with a no-body status refuses even an empty body.
  return new Response(text === '' ? null : text, { status: answer.statusCode, headers: found });
}
