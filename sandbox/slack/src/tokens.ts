import { randomBytes } from 'node:crypto';

/** How long Slack waits for an ack, and how long a trigger id is valid. */
export const ANSWER_MS = 3000;
/** How long a response URL is valid, and how often it may be used. */
export const RESPONSE_URL_MS = 30 * 60_000;
export const RESPONSE_URL_USES = 5;

export type Trigger = { user: string; viewId: string | undefined };

export type Triggers = {
  issue: (trigger: Trigger) => string;
  /** Returns the trigger if it is valid, otherwise Slack's error code. Does not use it up, as a refused view does not. */
  check: (id: string) => Trigger | 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id';
  use: (id: string) => void;
};

/** Creates trigger ids, valid for 3 seconds (or `lifetimeMs`) and one use. */
export function createTriggers(now: () => number = Date.now, lifetimeMs = () => ANSWER_MS): Triggers {
  const issued = new Map<string, Trigger & { at: number; used: boolean }>();
  return {
    issue: (trigger) => {
      for (const [id, entry] of issued) {
        if (now() - entry.at < 60_000 + lifetimeMs()) break;
        issued.delete(id);
      }
      const id = `${now()}.${randomBytes(4).readUInt32BE()}.${randomBytes(16).toString('hex')}`;
      issued.set(id, { ...trigger, at: now(), used: false });
      return id;
    },
    check: (id) => {
      const entry = issued.get(id);
      // Old ids are deleted; their format still shows that they were issued here.
      if (entry === undefined)
        return /^\d+\.\d+\.[0-9a-f]{32}$/.test(id) ? 'expired_trigger_id' : 'invalid_trigger_id';
      if (entry.used) return 'exchanged_trigger_id';
      if (now() - entry.at > lifetimeMs()) return 'expired_trigger_id';
      return entry;
    },
    use: (id) => {
      const entry = issued.get(id);
      if (entry !== undefined) entry.used = true;
    },
  };
}

/** The target of a response URL: a channel and person, and the message it came from, if any. */
export type ResponseTarget = {
  channel: string;
  user: string;
  ts?: string;
  ephemeral?: boolean;
  thread_ts?: string;
};

export type ResponseUrls = {
  issue: (target: ResponseTarget) => string;
  use: (path: string) => ResponseTarget | 'expired_url' | 'used_url' | 'not_found';
};

/** Creates response URLs of a workspace, valid for 30 minutes and 5 uses. */
export function createResponseUrls(
  team: string,
  baseUrl: () => string,
  now: () => number = Date.now,
): ResponseUrls {
  const issued = new Map<string, { target: ResponseTarget; at: number; uses: number }>();
  return {
    issue: (target) => {
      const kind = target.ts === undefined ? 'commands' : 'actions';
      const path = `${kind}/${team}/${randomBytes(16).toString('hex')}`;
      issued.set(path, { target, at: now(), uses: 0 });
      return `${baseUrl()}/${path}`;
    },
    use: (path) => {
      const entry = issued.get(path);
      if (entry === undefined) return 'not_found';
      if (now() - entry.at > RESPONSE_URL_MS) return 'expired_url';
      if (entry.uses >= RESPONSE_URL_USES) return 'used_url';
      entry.uses += 1;
      return entry.target;
    },
  };
}
