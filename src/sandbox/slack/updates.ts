import type { SandboxState, Updates } from './model.ts';
import { stateOf, type World } from './world.ts';

/** What has changed after some change. */
interface Since {
  /** The messages and replies, as `channel:ts`. */
  readonly places: string[];
  /** Everything may have changed: it is from before a reset, or nothing was read before. */
  readonly whole: boolean;
}

/** Watches the workspace, so that what is posted and changed can be told from what was there before. */
export function trackChanges(world: World): { since(after: number): Since } {
  const changedAt = new Map<string, number>();
  let resetAt = 0;
  world.onChange(({ what, channel, ts }) => {
    if (what === 'reset') {
      changedAt.clear();
      resetAt = world.changes;
    } else if (what === 'message') {
      // Last in the map: what is new is found from the end.
      changedAt.delete(`${channel}:${ts}`);
      changedAt.set(`${channel}:${ts}`, world.changes);
    }
  });
  return {
    since: (after) => ({
      places: [...changedAt].filter(([, at]) => at > after).map(([place]) => place),
      whole: after < resetAt || after < 0,
    }),
  };
}

/** Returns the messages of all channels that were posted or changed since, and where some are gone. */
export function changedMessages(world: World, { places }: Since) {
  return {
    changes: world.changes,
    channels: [...world.channels.values()].map(({ id, name, is_archived, members }) => ({
      id,
      name,
      is_archived,
      members,
    })),
    messages: places.flatMap((place) => world.index.get(place) ?? []),
    gone: places.filter((place) => !world.index.has(place)),
  };
}

/**
 * Returns what a client that knows everything up to a change has to read; without messages that did not change.
 * @param latest of everything, only this many messages of each channel, the last ones; undefined: all
 */
export function updatesOf(
  world: World,
  since: Since,
  latest: number | undefined,
  counts: Pick<SandboxState, 'sockets' | 'requests'>,
): Updates {
  const state = stateOf(world, counts.sockets, counts.requests);
  const { changes } = world;
  if (since.whole) {
    const channels = state.channels.map((channel) =>
      latest === undefined ? channel : { ...channel, messages: channel.messages.slice(-latest) },
    );
    return { changes, state: { ...state, channels }, whole: true, messages: [], gone: [] };
  }
  const channels = state.channels.map((channel) => ({ ...channel, messages: [] }));
  const { messages, gone } = changedMessages(world, since);
  return { changes, state: { ...state, channels }, whole: false, messages, gone };
}
