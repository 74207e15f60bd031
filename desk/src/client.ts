/** Why there is no answer. With a sentence: it is no, and asking again would change nothing; without: it may or may not be done. */
export class Failure extends Error {
  /** The status of the answer; 0: there was none. */
  readonly status: number;
  constructor(status: number, sentence = '') {
    super(sentence);
    this.status = status;
  }
}

/** How long (ms) an act may take, and what is read; and the longest silence of the events, which come every 15 s. */
const [mostMs, mostReadingMs, mostSilenceMs] = [20_000, 60_000, 40_000];
const retryMs = 2_000;
const notAccepted = 'Proofdesk didn’t accept this. Reload the page and try again.';

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export type Client = ReturnType<typeof createClient>;

/** Calls the bot. In a frame, where no cookie is sent, every call carries the session's token. */
export function createClient(fetchNow: typeof fetch = (...call) => fetch(...call)) {
  const headers = new Headers({ 'content-type': 'application/json' });

  /** Returns what is read of an answer. Throws Failure. */
  async function request<T>(
    path: string,
    signal: AbortSignal,
    read: (answer: Response) => T | Promise<T>,
    body?: unknown,
  ): Promise<T> {
    const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    try {
      const answer = await fetchNow(path, { ...posted, headers, signal });
      if (answer.ok) return await read(answer);
      if (answer.status >= 500 || answer.status === 429) throw new Failure(answer.status);
      // What stands before the bot may refuse in its own form.
      const { error = notAccepted } = await answer.json().catch(() => ({}));
      throw new Failure(answer.status, error);
    } catch (error) {
      throw error instanceof Failure ? error : new Failure(0);
    }
  }

  const json = (answer: Response) => answer.json();

  /** Reads something until there is an answer, or it is not wanted any more. */
  async function read<T>(path: string, body?: unknown, wanted?: AbortSignal, as = json): Promise<T> {
    for (;;)
      try {
        const signal = AbortSignal.any([AbortSignal.timeout(mostReadingMs), wanted ?? []].flat());
        return await request(path, signal, as, body);
      } catch (error) {
        if (wanted?.aborted || (error as Failure).message !== '') throw error;
        await pause(retryMs);
      }
  }

  return {
    /** From now on, the session of this token is spoken for. */
    admit: (token: string) => headers.set('authorization', `Bearer ${token}`),
    /** From now on, only this session is spoken for: the browser has one cookie for all tabs. */
    bind: (session: string) => headers.set('x-desk-session', session),
    read,
    file: (path: string, wanted?: AbortSignal) =>
      read<Blob>(path, undefined, wanted, (answer) => answer.blob()),
    /** Does something, or asks, once. */
    post: <T>(path: string, body?: unknown): Promise<T> =>
      request(path, AbortSignal.timeout(mostMs), json, body),
    /** Yields which tasks have changed, at first none, until the connection ends. */
    async *changes(): AsyncGenerator<string[]> {
      const ending = new AbortController();
      const silence = () => setTimeout(() => ending.abort(), mostSilenceMs);
      let timer = silence();
      const body = await request('/desk/api/events', ending.signal, (answer) => answer.body);
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      yield [];
      for (let text = ''; reader; ) {
        const { value, done } = await reader.read();
        clearTimeout(timer);
        if (done) return;
        timer = silence();
        // A chunk may end within an event.
        text += value;
        const events = text.slice(0, text.lastIndexOf('\n\n') + 1);
        text = text.slice(events.length);
        const tasks = [...events.matchAll(/^data: (.*)$/gm)].map(([, task = '']) => task);
        if (tasks.length > 0) yield tasks;
      }
    },
  };
}
