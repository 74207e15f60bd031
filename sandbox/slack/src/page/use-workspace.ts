import { useEffect, useState } from 'react';
import type { SandboxState } from '../model.ts';
import { readUpdates } from './api.ts';
import { merge } from './merge.ts';

/** Milliseconds before reconnecting, and the minimum between two reads of the state. */
const retryMs = 1_000;
const readIntervalMs = 60;

/** How many messages of each channel are read first, so that the page renders before the rest is loaded. */
const readFirst = 60;

/** Returns the workspace's state, kept current by the server's events. `connected` is false without a connection. */
export function useWorkspace(): { state: SandboxState | undefined; connected: boolean } {
  const [state, setState] = useState<SandboxState>();
  const [connected, setConnected] = useState(false);
  useEffect(
    () =>
      follow({
        onState: setState,
        onConnection: setConnected,
      }),
    [],
  );
  return { state, connected };
}

interface Watcher {
  onState(state: SandboxState): void;
  onConnection(connected: boolean): void;
}

/** Reads the updates after each change. Any number of changes during a read cause one more read. */
function follow(watcher: Watcher): () => void {
  let closed = false;
  let reading = false;
  let needsRead = false;
  let known: { state: SandboxState; changes: number } | undefined;
  // A restarted server counts changes from zero, so everything is read once after each connection.
  let readsAll = true;
  let socket: WebSocket | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const refresh = async (): Promise<void> => {
    if (reading) {
      needsRead = true;
      return;
    }
    reading = true;
    do {
      needsRead = false;
      const after = readsAll ? -1 : (known?.changes ?? -1);
      readsAll = false;
      const isFirst = known === undefined;
      const update = await readUpdates(after, isFirst ? readFirst : undefined).catch(() => undefined);
      if (closed) return;
      if (update === undefined) readsAll = true;
      else {
        if (isFirst && update.state.channels.some(({ messages }) => messages.length === readFirst)) {
          readsAll = true;
          needsRead = true;
        }
        known = { state: merge(known?.state, update), changes: update.changes };
        watcher.onState(known.state);
      }
      await new Promise((resolve) => setTimeout(resolve, readIntervalMs));
    } while (needsRead && !closed);
    reading = false;
  };

  const connect = (): void => {
    const { protocol, host } = window.location;
    socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/_sandbox/events`);
    socket.onopen = () => {
      watcher.onConnection(true);
      readsAll = true;
      void refresh();
    };
    socket.onmessage = () => void refresh();
    socket.onclose = () => {
      if (closed) return;
      watcher.onConnection(false);
      retry = setTimeout(connect, retryMs);
    };
  };

  connect();
  void refresh();
  return () => {
    closed = true;
    clearTimeout(retry);
    socket?.close();
  };
}
