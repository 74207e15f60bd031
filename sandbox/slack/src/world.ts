import { randomBytes } from 'node:crypto';
import type { Flexpane } from './entities.ts';
import type {
  ChangeEvent,
  Channel,
  Ephemeral,
  Message,
  SandboxState,
  Settings,
  SlackFile,
  View,
} from './model.ts';
import { defaultSettings, type Seed, seedWorkspace, type Workspace } from './seed.ts';

/** A file with its bytes. */
export type StoredFile = {
  file: SlackFile;
  bytes: Buffer | undefined;
  /** Whether its upload is completed; before that, Slack does not know the file. */
  isComplete: boolean;
  /** When Slack has processed it (ms): until then, nothing can show it, and its type is unknown. */
  readyAt: number;
  shares: { channel: string; ts: string }[];
};

/** The workspace's state in memory. Modules change it directly and then call `changed`. */
export type World = Omit<Seed, 'scopes' | 'channels'> & {
  channels: Map<string, Channel>;
  /** Messages and replies by `channel:ts`. */
  index: Map<string, Message>;
  ephemerals: Map<string, Ephemeral>;
  views: Map<string, View[]>;
  homes: Map<string, View>;
  /** What is open beside the messages of each person. */
  flexpanes: Map<string, Flexpane>;
  files: Map<string, StoredFile>;
  /** A person's choices in a message's elements so far, by `channel:ts:user`. */
  messageState: Map<string, View['state']>;
  settings: Settings;
  baseUrl: string;
  /** The address of a page that can be shown beside the workspace; empty: none. */
  panel: string;
  /** The address of a server that can kill and start the app; empty: none. */
  processes: string;
  /** Returns the time by Slack's clock (ms). */
  now: () => number;
  /** Returns an unused timestamp. */
  nextTs: () => string;
  /** The number of changes so far, so that clients can wait for the next one. */
  changes: number;
  changed: (change: Omit<ChangeEvent, 'type'>) => void;
  onChange: (listener: (change: ChangeEvent) => void) => () => void;
  /** Restores the initial state. */
  reset: () => void;
};

export type WorldOptions = {
  workspace: Workspace;
  settings: Partial<Settings>;
  /** The project's parsed manifest.yml; undefined if there is none. */
  projectManifest: unknown;
  panel?: string | undefined;
  processes?: string | undefined;
};

/** Creates a workspace in its initial state. */
export function createWorld(options: WorldOptions): World {
  const listeners = new Set<(change: ChangeEvent) => void>();
  let lastMicros = 0;
  const world: World = {
    ...start(options),
    baseUrl: '',
    panel: options.panel ?? '',
    processes: options.processes ?? '',
    changes: 0,
    now: () => Date.now() + world.settings.clockSkewMs,
    nextTs: () => {
      lastMicros = Math.max(Math.floor(world.now()) * 1000, lastMicros + 1);
      return `${Math.floor(lastMicros / 1e6)}.${String(lastMicros % 1e6).padStart(6, '0')}`;
    },
    changed: (change) => {
      world.changes += 1;
      for (const listener of listeners) listener({ type: 'changed', ...change });
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reset: () => {
      Object.assign(world, start(options));
      world.changed({ what: 'reset' });
    },
  };
  return world;
}

function start(options: WorldOptions) {
  const { scopes, channels, ...seed } = seedWorkspace(options.workspace, options.projectManifest);
  return {
    ...seed,
    channels: new Map(channels.map((channel) => [channel.id, channel])),
    index: new Map<string, Message>(),
    ephemerals: new Map<string, Ephemeral>(),
    views: new Map<string, View[]>(),
    homes: new Map<string, View>(),
    flexpanes: new Map<string, Flexpane>(),
    files: new Map<string, StoredFile>(),
    messageState: new Map<string, View['state']>(),
    settings: { ...defaultSettings(scopes), ...options.settings },
  };
}

/** Returns a new id in Slack's format: `Ev…`, `V…`, `F…`. */
export function newId(prefix: string): string {
  return `${prefix}${randomBytes(6).toString('hex').toUpperCase()}`;
}

export function findMessage(world: World, channel: string, ts: string): Message | undefined {
  return world.index.get(`${channel}:${ts}`);
}

export function findEphemeral(world: World, channel: string, ts: string): Ephemeral | undefined {
  return world.ephemerals.get(`${channel}:${ts}`);
}

/** Returns an open modal or a home by its id. */
export function findView(world: World, viewId: string): View | undefined {
  for (const stack of world.views.values()) {
    const view = stack.find((candidate) => candidate.id === viewId);
    if (view !== undefined) return view;
  }
  for (const home of world.homes.values()) if (home.id === viewId) return home;
  return undefined;
}

/** Returns the whole state, as `GET /_sandbox/state` does. */
export function stateOf(world: World, sockets: number, requests: number): SandboxState {
  return {
    team: world.team,
    app: world.app,
    users: world.users,
    channels: [...world.channels.values()],
    views: Object.fromEntries(world.views),
    homes: Object.fromEntries(world.homes),
    files: [...world.files.values()].filter((stored) => stored.isComplete).map((stored) => stored.file),
    usergroups: world.usergroups,
    settings: { ...world.settings, signingSecret: mask(world.settings.signingSecret) },
    sockets,
    requests,
    panel: world.panel,
    processes: world.processes,
    tour: world.tour,
  };
}

/** Masks a secret except for its ends. */
export function mask(secret: string): string {
  return secret.length <= 8 ? '…' : `${secret.slice(0, 5)}…${secret.slice(-2)}`;
}
