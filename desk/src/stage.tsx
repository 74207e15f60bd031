import { type PointerEvent, type ReactNode, useEffect, useRef } from 'react';
import { CommandButton } from './controls.tsx';
import { useDesk } from './desk.ts';
import { pan, type ShownFile, toggleZoom, zoom } from './view.ts';

/** Less than this (px) is a click, not a move. */
const clickPx = 5;

/** Returns a point in parts of the stage, from its middle. */
function placeIn(stage: HTMLElement | null, { clientX, clientY }: { clientX: number; clientY: number }) {
  const box = stage?.getBoundingClientRect();
  return box
    ? { x: (clientX - box.left) / box.width - 0.5, y: (clientY - box.top) / box.height - 0.5 }
    : { x: 0, y: 0 };
}

/** The pictures of a task side by side, or one of them, zoomed. */
export function Stage({ files }: { readonly files: readonly ShownFile[] }): ReactNode {
  const { state, store } = useDesk();
  const { view } = state;
  const stage = useRef<HTMLDivElement>(null);
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  const isZoomed = view.scale > 1;

  // React listens to wheels passively, which could not keep the page from scrolling.
  useEffect(() => {
    const element = stage.current;
    const onWheel = (event: WheelEvent) => {
      const { view: now } = store.get();
      const at = placeIn(stage.current, event);
      event.preventDefault();
      store.set({ view: zoom(now, Math.exp(-event.deltaY / 300), at) });
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [store]);

  function onMove(event: PointerEvent): void {
    const before = fingers.current.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const [other] = [...fingers.current].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    fingers.current.set(event.pointerId, now);
    moved.current += Math.hypot(now.x - before.x, now.y - before.y);
    const box = stage.current?.getBoundingClientRect();
    if (!box) return;
    const { view: current } = store.get();
    if (other) {
      const distance = (point: { x: number; y: number }) => Math.hypot(point.x - other.x, point.y - other.y);
      const middle = placeIn(stage.current, {
        clientX: (now.x + other.x) / 2,
        clientY: (now.y + other.y) / 2,
      });
      store.set({ view: zoom(current, distance(now) / Math.max(1, distance(before)), middle) });
    } else if (current.scale > 1) {
      store.set({ view: pan(current, (now.x - before.x) / box.width, (now.y - before.y) / box.height) });
    }
  }

  function onUp(event: PointerEvent, picture?: number): void {
    const wasDown = fingers.current.delete(event.pointerId);
    if (!wasDown || moved.current > clickPx || event.type === 'pointercancel') return;
    const at = picture === undefined ? view.picture : picture;
    store.set({
      view: toggleZoom({ ...view, picture: at }, isZoomed ? undefined : placeIn(stage.current, event)),
    });
  }

  return (
    <section className="stage-area" aria-label="Pictures">
      <div
        ref={stage}
        className={`stage ${files.length > 3 ? 'many' : ''} ${isZoomed ? 'zoomed' : ''}`}
        onPointerDown={(event) => {
          if (event.target instanceof Element && event.target.closest('button')) return;
          if (fingers.current.size === 0) moved.current = 0;
          fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
          if (isZoomed) event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={onMove}
        onPointerUp={(event) => {
          const figure = event.target instanceof Element ? event.target.closest('figure') : null;
          onUp(event, figure ? Number(figure.dataset.at) : undefined);
        }}
        onPointerCancel={onUp}
      >
        {files.map(({ file, label }, at) => (
          <Shown
            key={file.url}
            shown={label ? { file, label } : { file }}
            at={at}
            isActive={at === view.picture}
            isHidden={isZoomed && at !== view.picture}
          />
        ))}
      </div>
      <div className="tools line">
        {files.length > 1 && (
          <CommandButton command="picture" hint="Space" className="small">
            Next picture
          </CommandButton>
        )}
        <CommandButton command="zoom" hint="Z" className="small">
          {isZoomed ? `${Math.round(view.scale * 100)} %` : 'Zoom'}
        </CommandButton>
      </div>
    </section>
  );
}

function Shown(props: {
  readonly shown: ShownFile;
  readonly at: number;
  readonly isActive: boolean;
  readonly isHidden: boolean;
}): ReactNode {
  const { state, pictures, reading } = useDesk();
  const { file, label } = props.shown;
  const { view } = state;
  const picture = pictures.of(file);
  const isMoved = props.isActive && view.scale > 1;
  return (
    <figure hidden={props.isHidden} className={props.isActive ? 'active' : ''} data-at={props.at}>
      {picture.state === 'ready' && (
        <img
          src={picture.src}
          alt={label ? `${label}: ${file.name}` : file.name}
          decoding="sync"
          draggable={false}
          style={
            isMoved
              ? { transform: `translate(${view.x * 100}%, ${view.y * 100}%) scale(${view.scale})` }
              : undefined
          }
        />
      )}
      {picture.state === 'loading' && (
        <span className="loading" role="img" aria-label={`${file.name} is loading`} />
      )}
      {picture.state === 'failed' && (
        <span className="failed">
          <span>{picture.problem}</span>
          <button type="button" className="button small" onClick={() => pictures.retry(file)}>
            Try again
          </button>
        </span>
      )}
      <figcaption className="line">
        {label && <span className="badge">{label}</span>}
        <button
          type="button"
          className="badge clip"
          title="Save this file"
          onClick={() => void pictures.save(file).catch(reading.failed)}
        >
          {file.name}
          {file.kind === 'pdf' && ' · first page'}
        </button>
      </figcaption>
    </figure>
  );
}
