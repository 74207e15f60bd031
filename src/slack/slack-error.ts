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
  /** What Slack says besides; of `missing_scope`, the scope. */
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

/** Passes over a failed call to Slack. */
export function ignoreSlackError(error: unknown): undefined {
  if (!(error instanceof SlackError)) throw error;
}

/** Makes a call to Slack; throws a SlackError when it fails. */
export type Call = <T>(method: string, run: () => Promise<T>) => Promise<T>;

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
export function isWorkspaceError({ code }: Pick<SlackError, 'code'>): boolean {
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
    const { needed, response_metadata } = cause.data as typeof cause.data & { needed?: string };
    const details = needed === undefined ? (response_metadata?.messages ?? []) : [needed];
    return { kind: slackFaultCodes.has(code) ? 'unreachable' : 'refused', code, details };
  }
  if (cause instanceof WebAPIHTTPError) return { kind: 'unreachable', code: `http_${cause.statusCode}` };
  if (cause instanceof UploadFailed)
    return { kind: 'refused', code: 'upload_failed', details: [cause.message] };
  return { kind: 'unreachable', code: noAnswer, details: [messageOf(cause)] };
}

/** The setting that holds a token, by the method that checks it; with several workspaces there is one of each. */
const settings = {
  'auth.test': 'SLACK_BOT_TOKEN',
  'oauth.v2.access': 'a workspace’s token',
  'apps.connections.open': 'SLACK_APP_TOKEN',
} as const;
type Method = keyof typeof settings;

const newToken: Readonly<Record<Method, string>> = {
  'auth.test':
    'Reinstall the app in the workspace and copy its bot token from “OAuth & Permissions” to SLACK_BOT_TOKEN.',
  'oauth.v2.access': 'Install the app there again: /slack/install.',
  'apps.connections.open':
    'Create an app-level token with the scope connections:write under “Basic Information” in the app’s settings, and set it as SLACK_APP_TOKEN.',
};

/** Errors because of the token itself: a new one has to be set. */
const tokenErrorCodes = new Set([
  'invalid_auth',
  'not_authed',
  'missing_args',
  'not_allowed_token_type',
  'token_expired',
  'token_revoked',
  'account_inactive',
  'user_removed_from_team',
  'missing_scope',
  'no_permission',
]);

/** Errors by which the workspace, or its organization, keeps the app out. */
const notAllowedCodes = new Set(['access_denied', 'forbidden_team']);

/** Returns what Slack's refusal of a connection means, and what to do. */
export function connectionRefusal(method: Method, code: string): string {
  if (tokenErrorCodes.has(code))
    return `Slack does not accept ${settings[method]} (${code}). ${newToken[method]}`;
  if (code === 'link_disabled')
    return `Socket Mode is turned off for this app (${code}). Turn it on under “Socket Mode” in the app’s settings.`;
  if (code === 'accesslimited')
    return `The workspace does not allow requests from this network (${code}). Ask its admins to allow this machine’s IP address.`;
  if (workspaceErrorCodes.has(code) || notAllowedCodes.has(code))
    return `The workspace or its organization does not let the app in (${code}). Ask the admins there.`;
  return `Slack rejected ${method}: ${code}. Check the app’s settings.`;
}
