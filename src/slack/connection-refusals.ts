/** The setting that holds a token, by the method that checks it. */
const settings = {
  'auth.test': 'SLACK_BOT_TOKEN',
  'apps.connections.open': 'SLACK_APP_TOKEN',
} as const;
type Method = keyof typeof settings;

const newToken: Readonly<Record<Method, string>> = {
  'auth.test':
    'Reinstall the app in the workspace and copy its bot token from “OAuth & Permissions” to SLACK_BOT_TOKEN.',
  'apps.connections.open':
    'Create an app-level token with the scope connections:write under “Basic Information” in the app’s settings, and set it as SLACK_APP_TOKEN.',
};

/** What happened after an error about the token itself: a new one has to be set. */
const tokenFaults: Readonly<Record<string, (setting: string) => string>> = {
  invalid_auth: (setting) => `Slack does not accept ${setting}`,
  not_authed: (setting) => `Slack does not accept ${setting}`,
  missing_args: (setting) => `Slack does not accept ${setting}`,
  not_allowed_token_type: (setting) => `${setting} is a token of another kind`,
  token_expired: (setting) => `${setting} has expired`,
  token_revoked: (setting) => `${setting} was revoked`,
  account_inactive: () => 'The app is no longer installed in the workspace, or its bot user was deactivated',
  user_removed_from_team: () => 'The app’s user was removed from the workspace',
  missing_scope: (setting) => `${setting} lacks a scope`,
  no_permission: (setting) => `${setting} lacks a permission`,
};

/** What happened, and what to do, after an error that a new token would not end. */
const otherFaults: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  link_disabled: [
    'Socket Mode is turned off for this app',
    'Turn it on under “Socket Mode” in the app’s settings.',
  ],
  accesslimited: [
    'The workspace does not allow requests from this network',
    'Ask its admins to allow this machine’s IP address.',
  ],
  access_denied: ['Slack denies the app access', 'Ask the workspace’s admins to allow the app.'],
  ekm_access_denied: [
    'The organization’s admins have suspended access to its data',
    'Ask them to restore it.',
  ],
  enterprise_is_restricted: [
    'The app is installed for an organization, not for a workspace',
    'Install it in the workspace.',
  ],
  forbidden_team: ['This workspace may not use the app', 'Ask its admins to allow the app.'],
  team_access_not_granted: [
    'The app has no access to this workspace',
    'Ask the organization’s admins to add it there.',
  ],
  team_disabled: ['The workspace is disabled', 'Ask its owners to restore it.'],
  org_login_required: [
    'The workspace is being moved into an Enterprise organization',
    'Wait until that is finished.',
  ],
  team_added_to_org: [
    'The workspace is being moved into an Enterprise organization',
    'Wait until that is finished.',
  ],
  two_factor_setup_required: [
    'The workspace requires two-factor authentication',
    'Whoever installed the app has to set it up.',
  ],
  deprecated_endpoint: ['Slack has changed its API', 'Update Proofdesk.'],
  method_deprecated: ['Slack has changed its API', 'Update Proofdesk.'],
};

/**
 * Returns what Slack's refusal of a connection means, and what to do. The tables have the errors that Slack documents for
 * both methods; any other one is quoted.
 */
export function connectionRefusal(method: Method, code: string): string {
  const ofToken = tokenFaults[code];
  if (ofToken !== undefined) return `${ofToken(settings[method])} (${code}). ${newToken[method]}`;
  const other = otherFaults[code];
  if (other !== undefined) return `${other[0]} (${code}). ${other[1]}`;
  return `Slack refused ${method}: ${code}. Check the app’s settings.`;
}
