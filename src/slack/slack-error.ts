import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { messageOf } from '../errors.ts';

/**
 * A call to Slack that did not succeed. `refused`: Slack said no, `code` says why, and nothing was done ·
 * `rate-limited`: nothing was done, try again after `retryAfterMs` · `unreachable`: nobody knows whether it was done.
 */
export class SlackError extends Error {
  override readonly name = 'SlackFailure';
  readonly kind: 'refused' | 'rate-limited' | 'unreachable';
  readonly code: string;
  readonly retryAfterMs: number;
  readonly details: readonly string[];

  constructor(method: string, cause: unknown) {
    const { kind, code, retryAfterMs = 0, details = [] } = classify(cause);
    super(`${method}: ${code}${details.length > 0 ? ` (${details.join('; ')})` : ''}`, { cause });
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.details = details;
  }
}

/** A file did not reach Slack, so there is nothing that could have been shared. */
export class UploadFailed extends Error {
  override readonly name = 'NotUploaded';
}

const noAnswer = 'no_answer';

/** Codes by which Slack says that it had trouble itself. */
const slackFaultCodes = new Set(['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable']);

/** Codes that mean: this channel cannot be posted to until somebody changes something. */
const channelErrorCodes = new Set([
  'not_in_channel',
  'channel_not_found',
  'is_archived',
  'restricted_action',
]);

/** Codes that mean: the app itself may do nothing in this workspace any more. */
const workspaceErrorCodes = new Set([
  'invalid_auth',
  'not_authed',
  'token_revoked',
  'token_expired',
  'account_inactive',
]);

/** Whether the call may still be on its way to Slack, and be carried out later than what is sent after it. */
export function mayArriveLate(error: unknown): boolean {
  return error instanceof SlackError && error.code === noAnswer;
}

export function isChannelError(error: SlackError): boolean {
  return channelErrorCodes.has(error.code);
}

export function isWorkspaceError(error: SlackError): boolean {
  return workspaceErrorCodes.has(error.code);
}

function classify(cause: unknown): {
  kind: SlackError['kind'];
  code: string;
  retryAfterMs?: number;
  details?: string[];
} {
  if (cause instanceof WebAPIRateLimitedError) {
    return { kind: 'rate-limited', code: 'ratelimited', retryAfterMs: cause.retryAfter * 1_000 };
  }
  if (cause instanceof WebAPIPlatformError) {
    const code = cause.data.error;
    const details = cause.data.response_metadata?.messages ?? [];
    return { kind: slackFaultCodes.has(code) ? 'unreachable' : 'refused', code, details };
  }
  if (cause instanceof WebAPIHTTPError) return { kind: 'unreachable', code: `http_${cause.statusCode}` };
  if (cause instanceof UploadFailed)
    return { kind: 'refused', code: 'upload_failed', details: [cause.message] };
  return { kind: 'unreachable', code: noAnswer, details: [messageOf(cause)] };
}
