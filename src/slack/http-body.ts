import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HTTPModuleFunctions } from '@slack/bolt';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';

/**
 * Wraps Bolt's listener so that it receives only what Slack may have sent: an object that says what it is. Bolt itself throws
 * for other JSON, such as `payload=null`, where nobody can catch it, and leaves what has no type unanswered for 3 seconds.
 */
export function acceptSlackBodies(
  listener: RequestListener,
  { bodyLimit, logger }: { readonly bodyLimit: number; readonly logger: Pick<Logger, 'warn'> },
): RequestListener {
  return (request, response) => {
    if (!mayBeSigned(request, Date.now())) return refuse(response, 401);
    check(request, bodyLimit).then(
      (status) => {
        if (status === undefined) listener(request, response);
        else refuse(response, status);
      },
      (error: unknown) => {
        logger.warn({ reason: messageOf(error) }, 'a request of Slack could not be read');
        refuse(response, isTooLarge(error) ? 413 : 400);
      },
    );
  };
}

/** How old a request may be (s): as Bolt has it. */
const longestAgeSeconds = 300;

/**
 * Returns whether a request can have a valid signature, as far as its headers tell: without, its body is not even read.
 * Bolt needs the body to check the signature itself.
 */
function mayBeSigned({ headers }: IncomingMessage, now: number): boolean {
  const { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp } = headers;
  if (typeof signature !== 'string' || !/^v0=[0-9a-f]{64}$/i.test(signature)) return false;
  const at = Number(timestamp);
  return Number.isFinite(at) && at >= Math.floor(now / 1_000) - longestAgeSeconds;
}

/** Resolves to the status to refuse a request with; undefined when Bolt is to check it, its signature first. */
async function check(request: IncomingMessage, bodyLimit: number): Promise<number | undefined> {
  // Bolt reads the body from there.
  const buffered = await HTTPModuleFunctions.bufferIncomingMessage(request, bodyLimit);
  let body: unknown;
  try {
    body = HTTPModuleFunctions.parseHTTPRequestBody(buffered);
  } catch {
    return undefined;
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 400;
  return ['type', 'command', 'ssl_check'].some((name) => Object.hasOwn(body, name)) ? undefined : 400;
}

function isTooLarge(error: unknown): boolean {
  return HTTPModuleFunctions.isRawBodyError(error) && error.type === 'entity.too.large';
}

function refuse(response: ServerResponse, status: number): void {
  // What follows of a body that is not read to its end is no request.
  if (!response.headersSent) response.writeHead(status, { connection: 'close' }).end();
  else response.destroy();
}
