import { type Client, Refused, Unreachable } from './client.ts';
import { createLoader } from './loader.ts';
import type { ProofFile, Task } from './protocol.ts';

/** The most pixels of a picture that is shown, and how many files are read at once: decisions need a connection too. */
const [mostPixels, mostAtOnce] = [50_000_000, 2];

/** A picture, or the first page of a PDF, kept decoded; or why it cannot be shown. */
export interface Picture {
  readonly image: HTMLImageElement;
  readonly problem?: string;
}

export type Pictures = ReturnType<typeof createPictures>;

/** Returns the pictures and PDFs of a task; those of the round before stand beside their successors. */
export function picturesOf({ files = [], before }: Partial<Task> = {}): (ProofFile & { label?: string })[] {
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

  async function read({ url, kind, name }: ProofFile, signal: AbortSignal): Promise<Picture> {
    const image = new Image();
    try {
      const file = await client.file(url, signal);
      const picture = kind === 'pdf' ? await (await import('./pdf.ts')).firstPage(file) : file;
      image.src = URL.createObjectURL(picture);
      await new Promise((resolve, reject) => {
        image.onload = resolve;
        image.onerror = reject;
      });
      // Known before it is decoded, which would take the memory.
      if (image.naturalWidth * image.naturalHeight > mostPixels)
        return { image, problem: `${name} is too large to show. Save it instead.` };
      await image.decode();
      return { image };
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      return { image, problem: error instanceof Refused ? error.message : `${name} couldn’t be shown.` };
    }
  }

  const loader = createLoader({
    mostAtOnce,
    known,
    load: read,
    loaded: onChange,
    release: ({ image }) => URL.revokeObjectURL(image.src),
  });

  return {
    /** Returns what can be shown of a file; undefined while it is loading. */
    of: (file: ProofFile): Picture | undefined => known.get(file.url),
    /** Loads these, in this order, and lets go of all others. */
    keep: (files: readonly ProofFile[]): void => loader.keep(new Map(files.map((file) => [file.url, file]))),
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
