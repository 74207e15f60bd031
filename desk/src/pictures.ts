import { type Client, Failure } from './client.ts';
import { createLoader } from './loader.ts';
import type { ProofFile, Task } from './protocol.ts';

/** The most pixels of a picture that is shown, and how many files are read at once: decisions need a connection too. */
const [mostPixels, mostAtOnce] = [50_000_000, 2];

export type Pictures = ReturnType<typeof createPictures>;

/** Returns the pictures and PDFs of a task; those of the round before stand beside their successors. */
export function picturesOf({ files = [], before }: Partial<Task> = {}): (ProofFile & { label: string })[] {
  const shown = (all: readonly ProofFile[], label: string) =>
    all.filter(({ kind }) => kind !== 'other').map((file, at) => ({ ...file, label, at }));
  const former = shown(before?.files ?? [], 'Before');
  return [...former, ...shown(files, former.length > 0 ? 'Now' : '')].sort((a, b) => a.at - b.at);
}

/** Loads and decodes pictures before they are shown, and lets go of those that are far. */
export function createPictures(client: Client, onChange: () => void) {
  /** Pictures, or the first pages of PDFs, decoded; or why they cannot be shown. */
  const known = new Map<string, HTMLImageElement | string>();

  async function read(
    { url, kind, name }: ProofFile,
    wanted: AbortSignal,
  ): Promise<HTMLImageElement | string> {
    try {
      const file = await client.file(url, wanted);
      const image = new Image();
      image.draggable = false;
      image.decoding = 'sync';
      image.src = URL.createObjectURL(
        kind === 'pdf' ? await (await import('./pdf.ts')).firstPage(file) : file,
      );
      await new Promise((resolve, reject) => {
        image.onload = resolve;
        image.onerror = reject;
      }).finally(() => URL.revokeObjectURL(image.src));
      // Known before it is decoded, which would take the memory.
      if (image.naturalWidth * image.naturalHeight > mostPixels)
        return `${name} is too large to show. Save it instead.`;
      await image.decode();
      return image;
    } catch (error) {
      if (wanted.aborted) throw error;
      return error instanceof Failure ? error.message : `${name} couldn’t be shown.`;
    }
  }

  const loader = createLoader(known, mostAtOnce, read, onChange);

  return {
    /** Returns the picture of a file, or why there is none; undefined while it is loading. */
    of: (file: ProofFile) => known.get(file.url),
    /** Loads these, in this order, and lets go of all others. */
    keep: (files: readonly ProofFile[]): void => loader.keep(new Map(files.map((file) => [file.url, file]))),
    /** Saves a file: never opened as a page, whatever it contains. */
    async save({ url, name }: ProofFile): Promise<void> {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await client.file(url, AbortSignal.timeout(60_000)));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    },
  };
}
