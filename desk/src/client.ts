import type { Changed, Refusal } from './protocol.ts';

/** An answer that says no, with its sentence. Asking again would change nothing. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** Nothing was answered, or the server is in trouble: it may or may not have been done. */
export class Unreachable extends Error {
  /** The status of the answer, if there was one. */
  readonly status: number | undefined;
  constructor(status?: number) {
    super();
    this.status = status;
  }
}

export type Client = ReturnType<typeof createClient>;

/** The longest silence (ms) of the events: the server sends something every 15 s. */
const mostSilenceMs = 40_000;

/** Calls the bot. In a frame, where no cookie is sent, every call carries the session's token. */
export function createClient(fetchNow: typeof fetch = (...call) => fetch(...call)) {
  let token: string | undefined;
  let session: string | undefined;

  async function request(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    // The browser has one cookie for all tabs: this one acts only for whom it shows.
    if (session !== undefined) headers.set('x-desk-session', session);
    let answer: Response;
    try {
      answer = await fetchNow(path, { ...init, headers, cache: 'no-store', credentials: 'same-origin' });
    } catch {
      throw new Unreachable();
    }
    if (answer.ok) return answer;
    if (answer.status >= 500 || answer.status === 429) throw new Unreachable(answer.status);
    const refusal = (await answer.json().catch(() => undefined)) as Refusal | undefined;
    throw new Refused(
      answer.status,
      refusal?.error ?? 'Proofdesk didn’t accept this. Reload the page and try again.',
    );
  }

  async function json<T>(path: string, init: RequestInit = {}): Promise<T> {
    const ends = [AbortSignal.timeout(20_000), init.signal ?? []].flat();
    const answer = await request(path, { ...init, signal: AbortSignal.any(ends) });
    return answer.json().catch(() => {
      throw new Unreachable();
    }) as Promise<T>;
  }

  return {
    admit(by: string | undefined) {
      token = by;
    },
    /** From now on, only this session is spoken for. */
    bind(to: string) {
      session ??= to;
    },
    get: json,
    post: <T>(path: string, body: unknown) =>
      json<T>(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    /** Reads a file of a proof. */
    async file(path: string, signal?: AbortSignal): Promise<Blob> {
      const ends = [AbortSignal.timeout(60_000), signal ?? []].flat();
      const answer = await request(path, { signal: AbortSignal.any(ends) });
      return answer.blob().catch(() => {
        throw new Unreachable();
      });
    },
    /** Yields what changes until the connection ends; then throws Unreachable. `onOpen` is called once it stands. */
    async *changes(onOpen: () => void): AsyncGenerator<Changed> {
      const silence = new AbortController();
      let timer = setTimeout(() => silence.abort(), mostSilenceMs);
      try {
        const { body } = await request('/desk/api/events', {
          headers: { accept: 'text/event-stream' },
          signal: silence.signal,
        });
        if (!body) throw new Unreachable();
        onOpen();
        const reader = body.pipeThrough(new TextDecoderStream()).getReader();
        for (let text = ''; ; ) {
          const { value, done } = await reader.read();
          if (done) throw new Unreachable();
          clearTimeout(timer);
          timer = setTimeout(() => silence.abort(), mostSilenceMs);
          const blocks = (text + value.replaceAll('\r', '')).split('\n\n');
          text = blocks.pop() ?? '';
          for (const block of blocks) {
            const data = /^event: changed\ndata: (.*)$/m.exec(block)?.[1];
            if (data !== undefined) yield JSON.parse(data) as Changed;
          }
        }
      } catch (error) {
        throw error instanceof Refused ? error : new Unreachable();
      } finally {
        clearTimeout(timer);
        silence.abort();
      }
    },
  };
}
