import type { ProofFile, Task } from './protocol.ts';
import { type View, wholeView } from './state.ts';

const largest = 8;
/** How large a picture becomes by one press. */
const zoomed = 2.5;

export interface ShownFile {
  readonly file: ProofFile;
  /** Says which round it is of, where there are two. */
  readonly label?: 'Before' | 'Now';
}

/** Returns the pictures and PDFs of a task; those of the round before stand beside their successors. */
export function shownFiles({ files, before }: Task): ShownFile[] {
  const isShown = ({ kind }: ProofFile) => kind !== 'other';
  const [now, former] = [files.filter(isShown), (before?.files ?? []).filter(isShown)];
  if (former.length === 0) return now.map((file) => ({ file }));
  return Array.from({ length: Math.max(now.length, former.length) }, (_, at): ShownFile[] => {
    const [old, fresh] = [former[at], now[at]];
    return [
      ...(old ? [{ file: old, label: 'Before' as const }] : []),
      ...(fresh ? [{ file: fresh, label: 'Now' as const }] : []),
    ];
  }).flat();
}

/** Keeps the picture's edges outside of the stage's: it can be moved by half of what is larger. */
function within(view: View): View {
  const most = (view.scale - 1) / 2;
  const clamp = (value: number) => Math.min(most, Math.max(-most, value));
  return { ...view, x: clamp(view.x), y: clamp(view.y) };
}

/** Zooms by a factor. The point `at`, in parts of the stage from its middle, stays where it is. */
export function zoom(view: View, factor: number, at = { x: 0, y: 0 }): View {
  const scale = Math.min(largest, Math.max(1, view.scale * factor));
  if (scale === 1) return { ...wholeView, picture: view.picture };
  const by = scale / view.scale;
  return within({ ...view, scale, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by });
}

/** Zooms in, or back out. */
export const toggleZoom = (view: View, at?: { x: number; y: number }): View =>
  view.scale > 1 ? { ...wholeView, picture: view.picture } : zoom(view, zoomed, at);

/** Moves the picture by parts of the stage. */
export const pan = (view: View, x: number, y: number): View =>
  within({ ...view, x: view.x + x, y: view.y + y });

/** Goes on to the next picture, as large and at the same place, so that two can be compared. */
export const nextPicture = (view: View, count: number): View => ({
  ...view,
  picture: count === 0 ? 0 : (view.picture + 1) % count,
});
