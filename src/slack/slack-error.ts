import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { messageOf } from '../errors.ts';

/**
 * A failed call to Slack. `refused`: Slack returned the error `code`, and nothing was done · `rate-limited`: nothing was
 * done, retry after `retryAfterMs` · `unreachable`: it is unknown whether it was done.
 */
export class SlackError extends Error {
  override readonly name = 'SlackError';
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

/** A file did not reach Slack, so it cannot have been shared. */
export class UploadFailed extends Error {
  override readonly name = 'UploadFailed';
}

const noAnswer = 'no_answer';

/** Internal errors of Slack, after which the outcome is unknown. */
const slackFaultCodes = new Set(['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable']);

/** Errors after which a channel cannot be posted to until somebody changes something. */
const channelErrorCodes = new Set([
  'not_in_channel',
  'channel_not_found',
  'is_archived',
  'restricted_action',
  'restricted_action_read_only_channel',
  'restricted_action_thread_only_channel',
]);

/** Errors after which the app cannot do anything in the workspace. */
const workspaceErrorCodes = new Set([
  'invalid_auth',
  'not_authed',
  'token_revoked',
  'token_expired',
  'account_inactive',
  'accesslimited',
  'ekm_access_denied',
  'org_login_required',
  'team_access_not_granted',
  'team_added_to_org',
  'team_disabled',
]);

/** Returns whether the call may still be in progress, and be carried out after later calls. */
export function mayArriveLate(error: unknown): boolean {
  return error instanceof SlackError && error.code === noAnswer;
}

/** Returns whether the channel cannot be posted to until somebody changes something. */
export function isChannelError(error: SlackError): boolean {
  return channelErrorCodes.has(error.code);
}

/** Returns whether the app cannot do anything in the workspace. */
export function isWorkspaceError(error: SlackError): boolean {
  return isWorkspaceErrorCode(error.code);
}

/** Returns the same as {@link isWorkspaceError}, for an error's code. */
export function isWorkspaceErrorCode(code: string): boolean {
  return workspaceErrorCodes.has(code);
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
