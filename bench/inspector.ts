import { once } from 'node:events';
import WebSocket from 'ws';

/** The inspector of a measured process: `--inspect=127.0.0.1:<port>`. */
export interface Inspector {
  /** Collects garbage in all of its threads. */
  collectGarbage(): Promise<void>;
  /** Returns the bytes of all live objects in all of its threads, except V8's own, such as compiled code. */
  bytesAlive(): Promise<number>;
  close(): void;
}

/** The part of a heap snapshot that is needed for sizes. */
interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[]];
    };
  };
  readonly nodes: readonly number[];
}

/** V8 keeps compiling hot code for a long time, which is not a leak. */
const ownOfV8 = new Set(['code', 'hidden', 'object shape']);

function bytesIn({ snapshot: { meta }, nodes }: Snapshot): number {
  const [type, size] = [meta.node_fields.indexOf('type'), meta.node_fields.indexOf('self_size')];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += meta.node_fields.length) {
    const kind = meta.node_types[0][nodes[at + type] ?? 0] ?? '';
    if (!ownOfV8.has(kind)) bytes += nodes[at + size] ?? 0;
  }
  return bytes;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly message?: string; readonly chunk?: string };
}

/** Connects to the inspector of a process (https://chromedevtools.github.io/devtools-protocol, and Node's NodeWorker). */
export async function connectInspector(port: number): Promise<Inspector> {
  const [{ webSocketDebuggerUrl }] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as [
    { webSocketDebuggerUrl: string },
  ];
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, 'open');
  const threads = new Set<string>();
  const waiting = new Map<number, () => void>();
  let snapshot = '';
  let last = 0;

  function hear({ id, method, params }: Message): void {
    if (id !== undefined) waiting.get(id)?.();
    if (params === undefined) return;
    if (method === 'NodeWorker.attachedToWorker') threads.add(params.sessionId);
    if (method === 'HeapProfiler.addHeapSnapshotChunk') snapshot += params.chunk ?? '';
    if (method === 'NodeWorker.detachedFromWorker') threads.delete(params.sessionId);
    if (method === 'NodeWorker.receivedMessageFromWorker')
      hear(JSON.parse(params.message ?? '{}') as Message);
  }
  socket.on('message', (data: Buffer) => hear(JSON.parse(data.toString()) as Message));

  /** Calls a method in the main thread, or in another one. */
  function call(method: string, params: object, thread?: string): Promise<void> {
    last += 1;
    const message = JSON.stringify({ id: last, method, params });
    const answer = new Promise<void>((resolve) => waiting.set(last, resolve));
    if (thread === undefined) socket.send(message);
    else void call('NodeWorker.sendMessageToWorker', { sessionId: thread, message });
    return answer;
  }

  await call('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return {
    async collectGarbage() {
      for (const thread of [undefined, ...threads]) await call('HeapProfiler.collectGarbage', {}, thread);
    },
    async bytesAlive() {
      let bytes = 0;
      for (const thread of [undefined, ...threads]) {
        snapshot = '';
        await call('HeapProfiler.takeHeapSnapshot', { reportProgress: false }, thread);
        bytes += bytesIn(JSON.parse(snapshot) as Snapshot);
      }
      return bytes;
    },
    close: () => socket.close(),
  };
}
