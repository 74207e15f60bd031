import { useEffect, useState } from 'react';
import type { SandboxState } from '../model.ts';
import { readState } from './api.ts';
import { share } from './share.ts';

/** Milliseconds before a lost connection is tried again, and at least between two readings of the state. */
const retryMs = 1_000;
const calmMs = 60;

/** The workspace's state, kept up to date through the server's events; `connected` is false while that is lost. */
export function useWorkspace(): { state: SandboxState | undefined; connected: boolean } {
  const [state, setState] = useState<SandboxState>();
  const [connected, setConnected] = useState(false);
  useEffect(
    () =>
      follow({
        onState: (next) => setState((previous) => share(previous, next)),
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

/** Listens to changes and reads the state after each, however many come while a reading is under way. */
function follow(watcher: Watcher): () => void {
  let closed = false;
  let reading = false;
  let stale = false;
  let socket: WebSocket | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const refresh = async (): Promise<void> => {
    if (reading) {
      stale = true;
      return;
    }
    reading = true;
    do {
      stale = false;
      const next = await readState().catch(() => undefined);
      if (closed) return;
      if (next) watcher.onState(next);
      await new Promise((resolve) => setTimeout(resolve, calmMs));
    } while (stale && !closed);
    reading = false;
  };

  const connect = (): void => {
    const { protocol, host } = window.location;
    socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/_sandbox/events`);
    socket.onopen = () => {
      watcher.onConnection(true);
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
