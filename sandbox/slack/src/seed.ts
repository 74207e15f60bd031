import { z } from 'zod';
import type { Channel, InstalledApp, Settings, Shortcut, SlashCommand, TourStep, User } from './model.ts';
import { ANSWER_MS } from './tokens.ts';

const userInput = z.object({
  id: z.string(),
  name: z.string(),
  real_name: z.string(),
  is_admin: z.boolean().default(false),
  /** A guest in several channels, or (ultra) in one. */
  is_restricted: z.boolean().default(false),
  is_ultra_restricted: z.boolean().default(false),
  /** Deactivated. */
  deleted: z.boolean().default(false),
  /** The person's other company (Slack Connect); absent: this workspace. */
  team_id: z.string().optional(),
  tz: z.string().default('Europe/Berlin'),
});

const channelInput = z.object({
  id: z.string(),
  name: z.string(),
  is_private: z.boolean().default(false),
  is_archived: z.boolean().default(false),
  is_ext_shared: z.boolean().default(false),
  is_pending_ext_shared: z.boolean().default(false),
  topic: z.string().default(''),
  /** Absent: everyone. */
  members: z.array(z.string()).optional(),
  botIsMember: z.boolean().default(true),
});

/** A workspace file (`--workspace`). Missing fields have the values of the seed. */
export const workspaceSchema = z.strictObject({
  team: z.object({ id: z.string(), name: z.string(), domain: z.string() }).optional(),
  users: z.array(userInput).optional(),
  channels: z.array(channelInput).optional(),
  usergroups: z
    .array(z.object({ id: z.string(), handle: z.string(), name: z.string(), users: z.array(z.string()) }))
    .optional(),
  /** The tour that the page shows on the first visit: see `TourStep`. */
  tour: z
    .array(
      z.strictObject({
        title: z.string(),
        text: z.string(),
        at: z.string().optional(),
        until: z.string().optional(),
        done: z.string().optional(),
      }),
    )
    .optional(),
  /** The app's manifest in Slack's format; null: no manifest; absent: manifest.yml in the working directory. */
  manifest: z.record(z.string(), z.unknown()).nullable().optional(),
});

export type Workspace = z.input<typeof workspaceSchema>;

export const BOT_USER = 'U0BOT';
export const BOT_ID = 'B0BOT';
export const APP_ID = 'A0SANDBOX';
export const BOT_TOKEN = 'xoxb-sandbox';
export const APP_TOKEN = 'xapp-sandbox';

/** The scopes of an app without a manifest: all that the sandbox knows. */
const ALL_SCOPES = [
  'app_mentions:read',
  'channels:history',
  'channels:join',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'pins:read',
  'reactions:read',
  'reactions:write',
  'team:read',
  'usergroups:read',
  'users:read',
];

export const EVENT_TYPES = [
  'app_home_opened',
  'app_mention',
  'channel_archive',
  'channel_deleted',
  'channel_id_changed',
  'channel_left',
  'channel_shared',
  'channel_unarchive',
  'channel_unshared',
  'entity_details_requested',
  'group_archive',
  'group_deleted',
  'group_left',
  'group_unarchive',
  'member_joined_channel',
  'member_left_channel',
  'message.channels',
  'message.groups',
  'message.im',
  'pin_added',
  'pin_removed',
  'reaction_added',
  'reaction_removed',
  'subteam_members_changed',
  'user_change',
];

const ENTITY_TYPES = ['task', 'file', 'item', 'incident', 'content_item'].map(
  (type) => `slack#/entities/${type}`,
);

const SEED_USERS: z.input<typeof userInput>[] = [
  { id: 'U01ANN', name: 'ann', real_name: 'Ann Reyes', is_admin: true, tz: 'America/New_York' },
  { id: 'U02BEN', name: 'ben', real_name: 'Ben Okafor', tz: 'Africa/Lagos' },
  { id: 'U03CHLOE', name: 'chloe', real_name: 'Chloé Martin', tz: 'Europe/Paris' },
];

const SEED_CHANNELS: z.input<typeof channelInput>[] = [
  { id: 'C01REVIEW', name: 'review', topic: 'New tasks to rate' },
  { id: 'C02INBOX', name: 'inbox', topic: 'Messages from workers' },
  { id: 'C03RANDOM', name: 'random', botIsMember: false },
  { id: 'C04OLD', name: 'old-project', is_archived: true },
];

export type Seed = {
  team: { id: string; name: string; domain: string };
  app: InstalledApp;
  scopes: string[];
  users: User[];
  channels: Channel[];
  usergroups: { id: string; handle: string; name: string; users: string[] }[];
  tour: TourStep[];
};

const manifestSchema = z.object({
  display_information: z.object({ name: z.string().optional() }).optional(),
  features: z
    .object({
      app_home: z.object({ home_tab_enabled: z.boolean().optional() }).optional(),
      rich_previews: z
        .object({ is_active: z.boolean(), entity_types: z.array(z.string()).default([]) })
        .optional(),
      bot_user: z.object({ display_name: z.string().optional() }).optional(),
      slash_commands: z
        .array(
          z.object({
            command: z.string(),
            description: z.string().default(''),
            usage_hint: z.string().default(''),
          }),
        )
        .optional(),
      shortcuts: z
        .array(
          z.object({
            name: z.string(),
            type: z.enum(['global', 'message']),
            callback_id: z.string(),
            description: z.string().default(''),
          }),
        )
        .optional(),
    })
    .optional(),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()).optional() }).optional() }).optional(),
  settings: z
    .object({
      event_subscriptions: z.object({ bot_events: z.array(z.string()).optional() }).optional(),
    })
    .optional(),
});

function installedApp(manifest: unknown): { app: InstalledApp; scopes: string[] } {
  const parsed = manifest === null || manifest === undefined ? undefined : manifestSchema.parse(manifest);
  const commands: SlashCommand[] = parsed?.features?.slash_commands ?? [];
  const shortcuts: Shortcut[] = parsed?.features?.shortcuts ?? [];
  const previews = parsed?.features?.rich_previews;
  return {
    app: {
      id: APP_ID,
      name: parsed?.display_information?.name ?? 'Proofdesk',
      bot_id: BOT_ID,
      bot_user_id: BOT_USER,
      has_manifest: parsed !== undefined,
      commands,
      shortcuts,
      bot_events:
        parsed === undefined ? EVENT_TYPES : (parsed.settings?.event_subscriptions?.bot_events ?? []),
      entity_types: parsed === undefined ? ENTITY_TYPES : previews?.is_active ? previews.entity_types : [],
      home: parsed === undefined || parsed.features?.app_home?.home_tab_enabled === true,
    },
    scopes: parsed === undefined ? ALL_SCOPES : (parsed.oauth_config?.scopes?.bot ?? []),
  };
}

/** Returns the initial workspace: the seed, changed by the workspace file and the manifest. */
export function seedWorkspace(workspace: Workspace, projectManifest: unknown): Seed {
  const given = workspaceSchema.parse(workspace);
  const { app, scopes } = installedApp(given.manifest === undefined ? projectManifest : given.manifest);
  const people: User[] = (given.users ?? SEED_USERS.map((user) => userInput.parse(user))).map((user) => ({
    ...user,
    is_bot: false,
  }));
  const everybody = people.map((user) => user.id);
  const channels: Channel[] = (
    given.channels ?? SEED_CHANNELS.map((channel) => channelInput.parse(channel))
  ).map(({ botIsMember, members, ...channel }) => ({
    ...channel,
    is_im: false,
    members: [...(members ?? everybody), ...(botIsMember ? [BOT_USER] : [])],
    messages: [],
    ephemerals: [],
  }));
  const direct: Channel[] = people.map((user) => ({
    id: directChannelId(user.id),
    name: user.name,
    is_im: true,
    is_private: true,
    is_archived: false,
    is_ext_shared: false,
    is_pending_ext_shared: false,
    user: user.id,
    members: [user.id, BOT_USER],
    topic: '',
    messages: [],
    ephemerals: [],
  }));
  return {
    team: given.team ?? { id: 'T0SANDBOX', name: 'Sandbox', domain: 'sandbox' },
    app,
    scopes,
    users: [
      ...people,
      {
        id: BOT_USER,
        name: app.name.toLowerCase().replaceAll(' ', '-'),
        real_name: app.name,
        is_bot: true,
        is_admin: false,
        is_restricted: false,
        is_ultra_restricted: false,
        deleted: false,
        tz: 'UTC',
      },
    ],
    channels: [...channels, ...direct],
    usergroups: given.usergroups ?? [
      { id: 'S01REVIEWERS', handle: 'reviewers', name: 'Reviewers', users: everybody.slice(0, 2) },
    ],
    tour: given.tour ?? [],
  };
}

/** Returns the direct message channel of a person: `U01ANN` has `D01ANN`. */
export function directChannelId(userId: string): string {
  return `D${userId.slice(1)}`;
}

export const settingsSchema = z.strictObject({
  requestUrl: z.string(),
  signingSecret: z.string(),
  rateLimits: z.union([z.enum(['off', 'on']), z.number().positive()]),
  latencyMs: z.number().min(0),
  answerMs: z.number().positive(),
  fileReadyMs: z.tuple([z.number().min(0), z.number().min(0)]),
  clockSkewMs: z.number(),
  scopes: z.array(z.string()),
  tokenRevoked: z.boolean(),
  transport: z.enum(['auto', 'socket', 'http']),
  retryDelaysMs: z.array(z.number().min(0)),
});

/** Returns the initial settings; `scopes` are those of the manifest. */
export function defaultSettings(scopes: string[]): Settings {
  return {
    requestUrl: '',
    signingSecret: 'sandbox-signing-secret',
    rateLimits: 'off',
    latencyMs: 0,
    answerMs: ANSWER_MS,
    fileReadyMs: [300, 2_000],
    clockSkewMs: 0,
    scopes,
    tokenRevoked: false,
    transport: 'auto',
    retryDelaysMs: [0, 60_000, 300_000],
  };
}
