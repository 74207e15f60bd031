import { useEffect, useState } from 'react';
import type { SandboxState } from '../model.ts';
import { readUpdates } from './api.ts';
import { merge } from './merge.ts';

/** Milliseconds before a lost connection is opened again, and the least between two reads of the state. */
const retryMs = 1_000;
const readIntervalMs = 60;

/** How many messages of each channel are read first, so that the page can be drawn before the rest is there. */
const readFirst = 60;

/** Returns the workspace's state, up to date by the server's events; `connected` is false while there is no connection. */
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

/** Reads what has changed after each change; changes during a read cause one more read, however many they are. */
function follow(watcher: Watcher): () => void {
  let closed = false;
  let reading = false;
  let needsRead = false;
  let known: { state: SandboxState; changes: number } | undefined;
  // A server that was restarted counts anew: after each connection everything is read once.
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
