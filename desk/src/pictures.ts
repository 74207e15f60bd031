import { type Client, Refused } from './client.ts';
import type { ProofFile, Task } from './protocol.ts';

/** The most pixels of a picture that is shown, and how many files are read at once: decisions need a connection too. */
const [mostPixels, mostAtOnce] = [50_000_000, 3];

class TooLarge extends Error {}

/** A picture, or the first page of a PDF, as far as it is loaded. */
export interface Picture {
  readonly state: 'loading' | 'ready' | 'failed';
  /** Where it can be shown from. */
  readonly src?: string;
  readonly problem?: string;
  /** Keeps it decoded. */
  readonly image?: HTMLImageElement;
}

export type Pictures = ReturnType<typeof createPictures>;

/** Returns the pictures and PDFs of a task; those of the round before stand beside their successors. */
export function picturesOf({ files, before }: Task): (ProofFile & { label?: string })[] {
  const isShown = ({ kind }: ProofFile) => kind !== 'other';
  const [now, former] = [files.filter(isShown), (before?.files ?? []).filter(isShown)];
  if (former.length === 0) return now;
  return Array.from({ length: Math.max(now.length, former.length) }, (_, at) => [
    ...former.slice(at, at + 1).map((file) => ({ ...file, label: 'Before' })),
    ...now.slice(at, at + 1).map((file) => ({ ...file, label: 'Now' })),
  ]).flat();
}

/** Loads and decodes pictures before they are shown, and lets go of those that are far. */
export function createPictures(client: Client, onChange: () => void) {
  const known = new Map<string, Picture>();
  const loading: Picture = { state: 'loading' };
  const waiting: (() => void)[] = [];
  let running = 0;

  /** Reads when it is its turn. */
  async function inTurn<T>(start: () => Promise<T>): Promise<T> {
    if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      return await start();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  }

  async function read({ url, kind }: ProofFile): Promise<Picture> {
    const file = await client.file(url);
    const picture = kind === 'pdf' ? await (await import('./pdf.ts')).firstPage(file) : file;
    const image = new Image();
    image.src = URL.createObjectURL(picture);
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = reject;
    });
    // Known before it is decoded, which would take the memory.
    if (image.naturalWidth * image.naturalHeight > mostPixels) throw new TooLarge();
    await image.decode();
    return { state: 'ready', src: image.src, image };
  }

  function load(file: ProofFile): void {
    if (file.kind === 'other' || known.has(file.url)) return;
    known.set(file.url, loading);
    void inTurn(() => (known.get(file.url) === loading ? read(file) : Promise.resolve(loading)))
      .catch(
        (error: unknown): Picture => ({
          state: 'failed',
          problem:
            error instanceof TooLarge
              ? `${file.name} is too large to show. Save it instead.`
              : error instanceof Refused
                ? error.message
                : `${file.name} couldn’t be shown.`,
        }),
      )
      .then((picture) => {
        // Meanwhile it may have been let go.
        if (known.has(file.url)) known.set(file.url, picture);
        else release(picture);
        onChange();
      });
  }

  return {
    of: (file: ProofFile): Picture => known.get(file.url) ?? loading,
    /** Loads these, in this order, and lets go of all others. */
    keep(files: readonly ProofFile[]): void {
      const wanted = new Set(files.map(({ url }) => url));
      for (const [url, picture] of known)
        if (!wanted.has(url)) {
          known.delete(url);
          release(picture);
        }
      files.forEach(load);
    },
    retry(file: ProofFile): void {
      known.delete(file.url);
      load(file);
      onChange();
    },
    /** Saves a file: never opened as a page, whatever it contains. */
    async save({ url, name }: ProofFile): Promise<void> {
      const file = await client.file(url);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([file], { type: 'application/octet-stream' }));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    },
  };
}

function release({ src }: Picture): void {
  if (src !== undefined) URL.revokeObjectURL(src);
}
