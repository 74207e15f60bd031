/**
 * The sandbox workspace's state in Slack's own field names, as `GET /_sandbox/state` returns it and the page reads it.
 * Times: `ts` is Slack's (seconds, a dot, six digits; unique in a channel and increasing).
 */

import type { Entity } from './entities.ts';

/** The state as a whole. */
export type SandboxState = {
  team: Team;
  app: InstalledApp;
  users: User[];
  channels: Channel[];
  /** Each person's stack of open modals (by user id), bottom first: the person sees the last one. */
  views: Record<string, View[]>;
  /** The home view that the app published for each person. */
  homes: Record<string, View>;
  files: SlackFile[];
  usergroups: Usergroup[];
  settings: Settings;
  /** Socket Mode connections open now. */
  sockets: number;
  /** The number of requests logged so far: a `since` for `GET /_sandbox/requests`. */
  requests: number;
  /** The address of a page about the world outside Slack that can be shown beside the workspace; empty: none. */
  panel: string;
  /** The address of a server that can kill and start the app; empty: none. */
  processes: string;
  /** The tour that a person sees on the first visit; empty: none. */
  tour: TourStep[];
};

/** One step of the tour. */
export type TourStep = {
  title: string;
  text: string;
  /** A selector for the part of the page that it explains. */
  at?: string | undefined;
  /** The text of the app's message that ends the step (`{me}`: the person's mention); absent: it ends on Next. */
  until?: string | undefined;
  /** The title once it is done. */
  done?: string | undefined;
};

export type Team = { id: string; name: string; domain: string };

/** The app under test, as its manifest describes it. Without a manifest every command and event is allowed. */
export type InstalledApp = {
  id: string;
  name: string;
  bot_id: string;
  bot_user_id: string;
  has_manifest: boolean;
  commands: SlashCommand[];
  shortcuts: Shortcut[];
  bot_events: string[];
  /** The types of Work Objects that it may post. */
  entity_types: string[];
  /** Whether the app has a home tab. */
  home: boolean;
};

export type SlashCommand = { command: string; description: string; usage_hint: string };

export type Shortcut = {
  type: 'global' | 'message';
  name: string;
  callback_id: string;
  description: string;
};

export type User = {
  id: string;
  /** The handle. */
  name: string;
  real_name: string;
  is_bot: boolean;
  is_admin: boolean;
  /** A guest in several channels, or (ultra) in one. */
  is_restricted: boolean;
  is_ultra_restricted: boolean;
  /** Deactivated. */
  deleted: boolean;
  /** The person's other company (Slack Connect); absent: this workspace. */
  team_id?: string | undefined;
  tz: string;
};

export type Channel = {
  id: string;
  /** Without `#`; for a direct message the person's name. */
  name: string;
  is_im: boolean;
  is_private: boolean;
  is_archived: boolean;
  /** Shared with another company (Slack Connect), or about to be: the invitation is not accepted yet. */
  is_ext_shared: boolean;
  is_pending_ext_shared: boolean;
  /** Who may write where in it; absent: everybody in it, everywhere. */
  posting?: Posting;
  /** The person of a direct message channel (the other side is the bot). */
  user?: string;
  members: string[];
  topic: string;
  /** Messages of the channel itself, oldest first; replies are inside their parents. */
  messages: Message[];
  /** The messages that single people see here, oldest first. */
  ephemerals: Ephemeral[];
};

/**
 * How an administrator has limited a channel for the app: nothing at all, no messages of the channel itself, no replies, or
 * by a preference of the workspace.
 */
export type Posting = 'read_only' | 'thread_only' | 'non_threadable' | 'restricted';

/** A block or an element of one: Block Kit as the app sent it, with block and action ids filled in. */
export type Block = { type: string; block_id?: string; [field: string]: unknown };

export type Message = {
  type: 'message';
  ts: string;
  channel: string;
  /** Who wrote it: a person, or the bot's user id. */
  user: string;
  /** Present if the app wrote it. */
  bot_id?: string;
  app_id?: string;
  username?: string;
  /**
   * `thread_broadcast` (a reply also shown in the channel: it is listed in both places), `tombstone` (deleted, but it
   * has replies), `channel_join`, `channel_leave`…
   */
  subtype?: string;
  text: string;
  blocks: Block[];
  attachments: Attachment[];
  metadata?: Metadata;
  /** Present on replies (the parent's ts) and on parents (their own ts). */
  thread_ts?: string;
  /** Oldest first; always empty for a reply. */
  replies: Message[];
  edited?: { user: string; ts: string };
  files: SlackFile[];
  reactions: { name: string; users: string[]; count: number }[];
  /** Present if the message is pinned to its channel. */
  pinned_to?: string[];
  pinned_info?: { channel: string; pinned_by: string; pinned_ts: number };
};

export type Attachment = {
  color?: string;
  fallback?: string;
  text?: string;
  blocks?: Block[];
  [field: string]: unknown;
};

export type Metadata = {
  event_type?: string;
  event_payload?: Record<string, unknown>;
  /** Its Work Objects. */
  entities?: Entity[];
};

/** A message that only one person sees. Its own ts is used wherever a message's ts is. */
export type Ephemeral = {
  ts: string;
  channel: string;
  /** The person who sees it. */
  user: string;
  bot_id: string;
  text: string;
  blocks: Block[];
  attachments: Attachment[];
  thread_ts?: string;
};

/** State of one input or interactive element, in Slack's shape: `{ type, value }`, `{ type, selected_option }`… */
export type ElementState = { type: string; [field: string]: unknown };

export type StateValues = Record<string, Record<string, ElementState>>;

export type PlainText = { type: 'plain_text'; text: string; emoji?: boolean };

export type View = {
  id: string;
  type: 'modal' | 'home';
  /** The person who sees it. */
  user: string;
  callback_id: string;
  external_id: string;
  private_metadata: string;
  title: PlainText | null;
  submit: PlainText | null;
  close: PlainText | null;
  blocks: Block[];
  state: { values: StateValues };
  hash: string;
  clear_on_close: boolean;
  notify_on_close: boolean;
  root_view_id: string;
  previous_view_id: string | null;
  /** The errors with which the app answered the last submission, by block id. */
  errors: Record<string, string>;
};

export type SlackFile = {
  id: string;
  name: string;
  title: string;
  mimetype: string;
  filetype: string;
  size: number;
  user: string;
  created: number;
  alt_text?: string;
  /** Requires the bot's token, as on Slack. */
  permalink: string;
  url_private: string;
  url_private_download: string;
  /** The same file without a token, for the page. */
  sandbox_url: string;
};

export type Usergroup = { id: string; handle: string; name: string; users: string[] };

export type Settings = {
  /** Where deliveries go while no socket is open; empty: nowhere. */
  requestUrl: string;
  signingSecret: string;
  /** `off`, `on`, or a factor on every limit. */
  rateLimits: 'off' | 'on' | number;
  /** Added to every Web API answer. */
  latencyMs: number;
  /** How long Slack waits for an ack, and how long a trigger id is valid. */
  answerMs: number;
  /** The shortest and the longest time (ms) until Slack can show a file whose upload is completed. */
  fileReadyMs: readonly [number, number];
  /** How far Slack's clock is ahead of this machine's; affects `ts`, signatures, and the `Date` of answers. */
  clockSkewMs: number;
  /** The bot token's scopes. */
  scopes: string[];
  tokenRevoked: boolean;
  /** `auto`: Socket Mode whenever a socket is open, otherwise HTTP. */
  transport: 'auto' | 'socket' | 'http';
  /** Waits before the first, second and third redelivery of an event that was not acked. */
  retryDelaysMs: number[];
};

/** One message on the `/_sandbox/events` WebSocket: it says what to read again. */
export type ChangeEvent = {
  type: 'changed';
  what: 'message' | 'ephemeral' | 'view' | 'home' | 'channel' | 'file' | 'settings' | 'sockets' | 'reset';
  channel?: string;
  ts?: string;
  user?: string;
  view_id?: string;
};

/** `GET /_sandbox/updates?after=N`: the updates after change N, or everything if N is too old. */
export type Updates = {
  /** The number of the last change: the `after` of the next call. */
  changes: number;
  /** The whole state, or the state without its messages: those have changed only if they are listed below. */
  state: SandboxState;
  whole: boolean;
  /** Messages and replies that were posted or changed. */
  messages: Message[];
  /** Deleted messages and replies, as `channel:ts`. */
  gone: string[];
};

/** The answer of a control call that acts for a person. */
export type ActResult = {
  ok: boolean;
  /** False if the person saw the operation time out. */
  acked: boolean;
  ms: number;
  /** The error as the person sees it, in words or as a Slack error code. */
  error?: string;
};

/** `POST /_sandbox/submit`. Errors by block id; Slack's client's own errors have `acked: false` and `local: true`. */
export type SubmitResult = ActResult & {
  response_action?: 'errors' | 'update' | 'push' | 'clear';
  errors?: Record<string, string>;
  local?: boolean;
};

export type Option = {
  text: { type: string; text: string };
  value: string;
  description?: { type: string; text: string };
};

/** `POST /_sandbox/options`. */
export type OptionsResult = ActResult & {
  options?: Option[];
  option_groups?: { label: { type: string; text: string }; options: Option[] }[];
};

/** One line of `GET /_sandbox/requests`. */
export type LoggedRequest = {
  n: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** `in`: the app called; `out`: Slack delivered. */
  direction: 'in' | 'out';
  /** Web API method, `response_url`, `upload`, `download`; for deliveries the payload's type (`block_actions`, …). */
  method: string;
  args?: Record<string, unknown>;
  /** Masked. */
  token?: string;
  status?: number;
  ok?: boolean;
  error?: string;
  ms?: number;
  /** Deliveries: socket or http, and which attempt. */
  transport?: 'socket' | 'http';
  envelope?: string;
  attempt?: number;
  payload?: unknown;
  /** Deliveries: the body of the ack. */
  answer?: unknown;
  /** The fault that was injected. */
  fault?: string;
};
