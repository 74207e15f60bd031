/**
 * The sandbox workspace's state in Slack's own field names, as `GET /_sandbox/state` returns it and the page reads it. Times: `ts` is Slack's (seconds, a dot, six digits; unique in a channel and increasing).
 */

/** The state as a whole. */
export type SandboxState = {
  team: Team;
  app: InstalledApp;
  users: User[];
  channels: Channel[];
  /** Modals open per person (user id), the bottom of the stack first: the last one is what the person sees. */
  views: Record<string, View[]>;
  /** What the app published on its home per person. */
  homes: Record<string, View>;
  files: SlackFile[];
  usergroups: Usergroup[];
  settings: Settings;
  /** Socket Mode connections open now. */
  sockets: number;
  /** How many requests were logged so far: a `since` for `GET /_sandbox/requests`. */
  requests: number;
  /** The address of a page about the world around the workspace, which the page can show beside it; empty: none. */
  panel: string;
  /** The address of a server that can kill and start the app; empty: none. */
  processes: string;
  /** What a person is shown on the first visit; empty: nothing. */
  tour: TourStep[];
};

/** One step of the tour. */
export type TourStep = {
  title: string;
  text: string;
  /** What it is about: a selector of the page. */
  at?: string | undefined;
  /** Done when the app says this of the person (`{me}`: their mention) in a message; absent: when they press Next. */
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
  /** A guest of several channels, or (ultra) of one. */
  is_restricted: boolean;
  is_ultra_restricted: boolean;
  /** Deactivated. */
  deleted: boolean;
  /** Of another company (Slack Connect); absent: of this workspace. */
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
  /** The person of a direct message channel (the other side is the bot). */
  user?: string;
  members: string[];
  topic: string;
  /** Messages of the channel itself, oldest first; replies are inside their parents. */
  messages: Message[];
  /** What single people see here, oldest first. */
  ephemerals: Ephemeral[];
};

/** A block or an element of one: Block Kit as the app sent it, with block and action ids filled in. */
export type Block = { type: string; block_id?: string; [field: string]: unknown };

export type Message = {
  type: 'message';
  ts: string;
  channel: string;
  /** Who wrote it: a person, or the bot's user id. */
  user: string;
  /** Given for what the app wrote. */
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
  /** Given for a reply (its parent's ts) and for a parent (its own ts). */
  thread_ts?: string;
  /** Oldest first; always empty for a reply. */
  replies: Message[];
  edited?: { user: string; ts: string };
  files: SlackFile[];
  reactions: { name: string; users: string[]; count: number }[];
  /** Given for a message that is pinned to its channel. */
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

export type Metadata = { event_type: string; event_payload: Record<string, unknown> };

/** A message only one person sees. It has a ts of its own, used where a message's ts is. */
export type Ephemeral = {
  ts: string;
  channel: string;
  /** The one who sees it. */
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
  /** What the app answered to the last submission, per block id. */
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
  /** Needs the bot's token, as on Slack. */
  permalink: string;
  url_private: string;
  url_private_download: string;
  /** For the page: the same bytes without a token. */
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
  /** How long Slack waits for an ack, and lets a click or command open something. */
  answerMs: number;
  /** How far Slack's clock is ahead of this machine's: in `ts`, signatures, and the `Date` of answers. */
  clockSkewMs: number;
  /** The bot token's scopes. */
  scopes: string[];
  tokenRevoked: boolean;
  /** `auto`: Socket Mode whenever a socket is open, otherwise HTTP. */
  transport: 'auto' | 'socket' | 'http';
  /** Waits before the first, second and third redelivery of an event that was not acked. */
  retryDelaysMs: number[];
};

/** One message on the `/_sandbox/events` WebSocket: what to read again. */
export type ChangeEvent = {
  type: 'changed';
  what: 'message' | 'ephemeral' | 'view' | 'home' | 'channel' | 'file' | 'settings' | 'sockets' | 'reset';
  channel?: string;
  ts?: string;
  user?: string;
  view_id?: string;
};

/** `GET /_sandbox/updates?after=N`: what is to be known after change N; everything when N is too long ago. */
export type Updates = {
  /** The number of the last change: the `after` of the next call. */
  changes: number;
  /** The whole state, or all of it but the messages, which did not change unless they are named here. */
  state: SandboxState;
  whole: boolean;
  /** Messages and replies that were posted or changed. */
  messages: Message[];
  /** Messages and replies that are gone, as `channel:ts`. */
  gone: string[];
};

/** What a control call that acts for a person answers. */
export type ActResult = {
  ok: boolean;
  /** False: the person saw the operation time out. */
  acked: boolean;
  ms: number;
  /** What went wrong from the person's side, in words or as a Slack error code. */
  error?: string;
};

/** `POST /_sandbox/submit`. Errors by block id; those the client itself raises come with `acked: false` and `local: true`. */
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
  /** Deliveries: what came back with the ack. */
  answer?: unknown;
  /** The fault that was injected. */
  fault?: string;
};
