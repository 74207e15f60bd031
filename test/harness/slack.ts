import type { FaultInput, LoggedRequest, SandboxState, Settings } from '../../src/sandbox/slack/index.ts';
import { sandboxClient } from './slack-client.ts';
import { type Person, person, type Seen } from './slack-person.ts';
import type { Names } from './visible-text.ts';

export type { Person, Seen } from './slack-person.ts';

export type SlackHandle = {
  url: string;
  person: (id: string) => Person;
  state: () => Promise<SandboxState>;
  /** Returns the log lines that have all given fields, oldest first. */
  requests: (where?: Partial<LoggedRequest>, since?: number) => Promise<LoggedRequest[]>;
  clearRequests: () => Promise<void>;
  /** Waits for a logged request for which `holds`. */
  request: (holds: (request: LoggedRequest) => boolean, timeoutMs?: number) => Promise<LoggedRequest>;
  fault: (fault: FaultInput) => Promise<string>;
  /** Removes the fault with this id, or all faults. */
  clearFaults: (id?: string) => Promise<void>;
  settings: (patch: Partial<Settings>) => Promise<Settings>;
  channelPatch: (
    channel: string,
    patch: {
      archived?: boolean;
      botIsMember?: boolean;
      shared?: boolean | 'pending';
      posting?: 'read_only' | 'thread_only' | 'non_threadable' | 'restricted' | null;
      members?: readonly string[];
      id?: string;
    },
  ) => Promise<void>;
  /** Makes somebody a guest or an admin, or deactivates them. */
  userPatch: (
    user: string,
    patch: { is_admin?: boolean; is_restricted?: boolean; deleted?: boolean },
  ) => Promise<void>;
  /** Changes the members of a user group. */
  groupPatch: (group: string, users: readonly string[]) => Promise<void>;
  /** Deletes a channel as a person. */
  deletesChannel: (channel: string) => Promise<void>;
  /** Delivers an event to the app unchanged, if it has subscribed to it. */
  event: (event: { readonly type: string } & Readonly<Record<string, unknown>>) => Promise<void>;
  disconnect: (options?: { reason?: string; hard?: boolean }) => Promise<void>;
  /** Deletes a message as a person. */
  deletes: (message: Pick<Seen, 'channel' | 'ts'>) => Promise<void>;
  reset: () => Promise<void>;
  /** Sends `url_verification` to the request URL, as Slack does when it is entered in the app's settings. */
  verify: () => Promise<{ ok: boolean; error?: string }>;
  /** Waits until this many sockets are open. */
  sockets: (count: number, timeoutMs?: number) => Promise<void>;
};

/** Returns the vocabulary of tests: people's acts and views in the sandbox workspace at `url`. */
export function slackHandle(url: string): SlackHandle {
  const client = sandboxClient(url);
  let names: Promise<Names> | undefined;
  const loadNames = (): Promise<Names> => {
    names ??= client
      .get<SandboxState>('state')
      .then(({ users, channels, usergroups }) =>
        Object.fromEntries([
          ...users.map((user) => [user.id, user.real_name]),
          ...channels.map((channel) => [channel.id, channel.name]),
          ...usergroups.map((group) => [group.id, group.handle]),
        ]),
      );
    return names;
  };

  return {
    url,
    person: (id) => person(client, id, loadNames),
    state: () => client.get('state'),
    requests: async (where = {}, since = 0) => {
      const { requests } = await client.get<{ requests: LoggedRequest[] }>(`requests?since=${since}`);
      return requests.filter((request) =>
        Object.entries(where).every(([field, value]) => request[field as keyof LoggedRequest] === value),
      );
    },
    clearRequests: () => client.send('DELETE', 'requests'),
    request: (holds, timeoutMs) =>
      client.waitFor(
        async () => {
          const { requests } = await client.get<{ requests: LoggedRequest[] }>('requests?since=0');
          return requests.find(holds);
        },
        async () => {
          const { requests } = await client.get<{ requests: LoggedRequest[] }>('requests?since=0');
          const lines = requests.slice(-30).map((one) => `${one.direction} ${one.method} ${one.error ?? ''}`);
          return `No such request. The last ones:\n${lines.join('\n')}`;
        },
        timeoutMs,
        // Polls, because changes to the log cannot be waited for.
        50,
      ),
    fault: async (fault) => (await client.send<{ id: string }>('POST', 'faults', fault)).id,
    clearFaults: (id) => client.send('DELETE', id === undefined ? 'faults' : `faults/${id}`),
    settings: async (patch) =>
      (await client.send<{ settings: Settings }>('PATCH', 'settings', patch)).settings,
    channelPatch: (channel, patch) => client.send('PATCH', `channels/${channel}`, patch),
    userPatch: (user, patch) => client.send('PATCH', `users/${user}`, patch),
    groupPatch: (group, users) => client.send('PATCH', `usergroups/${group}`, { users }),
    deletesChannel: (channel) => client.send('DELETE', `channels/${channel}`),
    event: (event) => client.send('POST', 'events', event),
    disconnect: (options = {}) => client.send('POST', 'disconnect', options),
    deletes: async ({ channel, ts }) => {
      await client.act('delete', { channel, ts });
    },
    reset: () => client.send('POST', 'reset'),
    verify: () => client.send('POST', 'verify'),
    sockets: async (count, timeoutMs) => {
      await client.waitFor(
        async () => ((await client.get<SandboxState>('state')).sockets === count ? true : undefined),
        () => `There were never ${count} sockets`,
        timeoutMs,
      );
    },
  };
}
