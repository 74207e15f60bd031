import type { FaultInput, LoggedRequest, SandboxState, Settings } from '../index.ts';
import { sandboxClient } from './client.ts';
import { person, type Seen } from './person.ts';
import type { Names } from './visible-text.ts';

export { onPress, sandboxClient } from './client.ts';
export type { SeenView } from './modal.ts';
export type { Person, Seen } from './person.ts';
export { buttonsOf, elementNamed } from './seen-blocks.ts';
export { readMrkdwn, visibleText } from './visible-text.ts';

export type SlackHandle = ReturnType<typeof slackHandle>;

/** Returns the vocabulary of tests: people's acts and views in the sandbox workspace at `url`. */
export function slackHandle(url: string) {
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

  const requests = async (since = 0) =>
    (await client.get<{ requests: LoggedRequest[] }>(`requests?since=${since}`)).requests;
  const fault = async (input: FaultInput) => (await client.send<{ id: string }>('POST', 'faults', input)).id;

  return {
    url,
    person: (id: string) => person(client, id, loadNames),
    state: () => client.get<SandboxState>('state'),
    /** Returns the log lines that have all given fields, oldest first. */
    requests: async (where: Partial<LoggedRequest> = {}, since = 0) => {
      const found = await requests(since);
      return found.filter((request) =>
        Object.entries(where).every(([field, value]) => request[field as keyof LoggedRequest] === value),
      );
    },
    clearRequests: () => client.send<void>('DELETE', 'requests'),
    /** Waits for a logged request for which `holds`. */
    request: (holds: (request: LoggedRequest) => boolean, timeoutMs?: number) =>
      client.waitFor(
        async () => (await requests()).find(holds),
        async () => {
          const lines = (await requests())
            .slice(-30)
            .map((one) => `${one.direction} ${one.method} ${one.error ?? ''}`);
          return `No such request. The last ones:\n${lines.join('\n')}`;
        },
        timeoutMs,
        // Polls, because changes to the log cannot be waited for.
        50,
      ),
    fault,
    /** Answers calls of a method with an error: once, or so many times; 0 is until the fault is removed. */
    refuses: (method: string, error: string, times = 1) =>
      fault({ match: { method }, kind: 'error', error, times }),
    /** Answers calls of a method so much later: once, or so many times. */
    delays: (method: string, delayMs: number, times = 1) =>
      fault({ match: { method }, kind: 'latency', delayMs, times }),
    /** Removes the fault with this id, or all faults. */
    clearFaults: (id?: string) => client.send<void>('DELETE', id === undefined ? 'faults' : `faults/${id}`),
    settings: async (patch: Partial<Settings>) =>
      (await client.send<{ settings: Settings }>('PATCH', 'settings', patch)).settings,
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
    ) => client.send<void>('PATCH', `channels/${channel}`, patch),
    /** Makes somebody a guest or an admin, or deactivates them. */
    userPatch: (user: string, patch: { is_admin?: boolean; is_restricted?: boolean; deleted?: boolean }) =>
      client.send<void>('PATCH', `users/${user}`, patch),
    /** Changes the members of a user group. */
    groupPatch: (group: string, users: readonly string[]) =>
      client.send<void>('PATCH', `usergroups/${group}`, { users }),
    /** Deletes a channel as a person. */
    deletesChannel: (channel: string) => client.send<void>('DELETE', `channels/${channel}`),
    /** Delivers an event to the app unchanged, if it has subscribed to it. */
    event: (event: { readonly type: string } & Readonly<Record<string, unknown>>) =>
      client.send<void>('POST', 'events', event),
    /** Delivers any payload to the app, once, even one that nobody could send. */
    delivers: (kind: 'slash_commands' | 'interactive' | 'events_api', payload: unknown) =>
      client.send<{ acked: boolean; error?: string }>('POST', 'deliver', { kind, payload }),
    /** Returns by what an interaction of a person there would be answered. */
    answerable: (user: string, channel: string) =>
      client.send<{ trigger_id: string; response_url: string }>('POST', 'tokens', { user, channel }),
    disconnect: (options: { reason?: string; hard?: boolean } = {}) =>
      client.send<void>('POST', 'disconnect', options),
    /** Deletes a message as a person. */
    deletes: async ({ channel, ts }: Pick<Seen, 'channel' | 'ts'>) => {
      await client.act('delete', { channel, ts });
    },
    reset: () => client.send<void>('POST', 'reset'),
    /** Sends `url_verification` to the request URL, as Slack does when it is entered in the app's settings. */
    verify: () => client.send<{ ok: boolean; error?: string }>('POST', 'verify'),
    /** Waits until this many sockets are open. */
    sockets: async (count: number, timeoutMs?: number) => {
      await client.waitFor(
        async () => ((await client.get<SandboxState>('state')).sockets === count ? true : undefined),
        () => `There were never ${count} sockets`,
        timeoutMs,
      );
    },
  };
}
