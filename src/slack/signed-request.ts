import type { IncomingMessage } from 'node:http';
// Imported by this path, since loading all of Bolt takes 200 ms and 20 MB.
import {
  isRawBodyError,
  parseAndVerifyHTTPRequest,
  parseHTTPRequestBody,
} from '@slack/bolt/dist/receivers/HTTPModuleFunctions.js';
import { messageOf } from '../errors.ts';

/** The largest body that is read (bytes). */
const bodyLimit = 1_000_000;
/** Maximum age of a request (s): the same as Bolt's. */
const longestAgeSeconds = 300;

/** A request that was not sent by Slack, with the status of the refusal. */
export class RefusedRequest extends Error {
  readonly status: number;
  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/**
 * Reads the body of a request signed by Slack: an object that states its type. Throws RefusedRequest for any other. Slack's
 * certificate check is not signed: of its body, only the fact that it is one is kept.
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
 * Returns whether a request can have a valid signature, judging by its headers: otherwise its body is not even read.
 * Checking the signature itself needs the body.
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
