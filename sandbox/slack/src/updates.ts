import type { SandboxState, Updates } from './model.ts';
import { stateOf, type World } from './world.ts';

/** The changes since a given one. */
interface Since {
  /** The messages and replies, as `channel:ts`. */
  readonly places: string[];
  /** Whether everything may have changed, because of a reset or because this is the first read. */
  readonly whole: boolean;
}

/** Tracks changes to the workspace, so that clients can read only new and changed messages. */
export function trackChanges(world: World): { since(after: number): Since } {
  const changedAt = new Map<string, number>();
  let resetAt = 0;
  world.onChange(({ what, channel, ts }) => {
    if (what === 'reset') {
      changedAt.clear();
      resetAt = world.changes;
    } else if (what === 'message') {
      // Moved to the end of the map, because new changes are looked up from the end.
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

/** Returns the messages of all channels that were posted or changed since, and the places of deleted ones. */
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
 * Returns the updates for a client that knows everything up to a change, without unchanged messages.
 * @param latest if everything is sent, only this many of each channel's latest messages; undefined: all
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
