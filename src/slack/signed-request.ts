import type { IncomingMessage } from 'node:http';
// By this path, since loading all of Bolt takes 200 ms and 20 MB.
import {
  isRawBodyError,
  parseAndVerifyHTTPRequest,
  parseHTTPRequestBody,
} from '@slack/bolt/dist/receivers/HTTPModuleFunctions.js';
import { messageOf } from '../errors.ts';

/** The largest body that is read (bytes). */
const bodyLimit = 1_000_000;
/** How old a request may be (s): as Bolt has it. */
const longestAgeSeconds = 300;

/** A request that Slack has not sent, with the status to refuse it with. */
export class RefusedRequest extends Error {
  readonly status: number;
  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/**
 * Reads the body of a request that Slack has signed: an object that says what it is. Throws RefusedRequest for any other. Slack's
 * check of the certificate is not signed: nothing but that it is one is left of its body.
 */
export async function readSignedRequest(
  request: IncomingMessage,
  signingSecret: string,
): Promise<Record<string, unknown>> {
  if (!mayBeSigned(request, Date.now())) throw new RefusedRequest(401, 'no valid headers of a signature');
  const verified = await parseAndVerifyHTTPRequest({ signingSecret, bodyLimit }, request).catch(
    (error: unknown) => {
      const status = isRawBodyError(error) ? (error.type === 'entity.too.large' ? 413 : 400) : 401;
      throw new RefusedRequest(status, messageOf(error));
    },
  );
  const body = parsed(verified);
  if (!isOfSlack(body)) throw new RefusedRequest(400, 'a body that is not one of Slack’s');
  return body;
}

/**
 * Returns whether a request can have a valid signature, as far as its headers tell: without, its body is not even read.
 * The body is needed to check the signature itself.
 */
function mayBeSigned({ headers }: IncomingMessage, now: number): boolean {
  const { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp } = headers;
  if (typeof signature !== 'string' || !/^v0=[0-9a-f]{64}$/i.test(signature)) return false;
  const at = Number(timestamp);
  return Number.isFinite(at) && at >= Math.floor(now / 1_000) - longestAgeSeconds;
}

/** Returns the body as Bolt parses it; undefined when it cannot be parsed. */
function parsed(request: Parameters<typeof parseHTTPRequestBody>[0]): unknown {
  try {
    return parseHTTPRequestBody(request);
  } catch {
    return undefined;
  }
}

function isOfSlack(body: unknown): body is Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  return ['type', 'command', 'ssl_check'].some((name) => Object.hasOwn(body, name));
}
