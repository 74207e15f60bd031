import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useDesk } from './controls.tsx';
import { picturesOf } from './pictures.ts';
import type { ProofFile, Task } from './protocol.ts';

/** The pictures of a task side by side, or one of them, zoomed: then it is moved by scrolling, dragging and arrows. */
export function Stage({ task }: { readonly task: Task }): ReactNode {
  const { state, store, zoom } = useDesk();
  const { picture: active, scale } = state;
  const stage = useRef<HTMLElement>(null);
  /** The point that stays where it is, in parts of the stage. */
  const point = useRef({ x: 0.5, y: 0.5 });
  const before = useRef(scale);
  const dragged = useRef(0);
  const isZoomed = scale > 1;
  const files = picturesOf(task);

  useLayoutEffect(() => {
    const box = stage.current;
    if (!box) return;
    const { clientWidth: width, clientHeight: height, scrollLeft, scrollTop } = box;
    const by = scale / before.current;
    const { x, y } = point.current;
    box.scrollLeft = (scrollLeft + x * width) * by - x * width;
    box.scrollTop = (scrollTop + y * height) * by - y * height;
    before.current = scale;
    point.current = { x: 0.5, y: 0.5 };
  }, [scale]);

  /** Zooms the picture that is pointed at: the point stays where it is. */
  function zoomAt(
    { target, clientX, clientY }: Pick<MouseEvent, 'target' | 'clientX' | 'clientY'>,
    by?: number,
  ): void {
    const figure = target instanceof HTMLImageElement ? target.closest('figure') : null;
    const box = (isZoomed ? stage.current : figure)?.getBoundingClientRect();
    if (!figure || !box) return;
    point.current = { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
    store.set({ picture: Number(figure.dataset.at) });
    zoom(by);
  }

  useEffect(() => {
    const box = stage.current;
    const turned = (event: WheelEvent) => {
      // So do two fingers on a touchpad. Without the key, it scrolls.
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoomAt(event, Math.exp(-event.deltaY / 200));
    };
    box?.addEventListener('wheel', turned, { passive: false });
    return () => box?.removeEventListener('wheel', turned);
  });

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Z and arrows do the same
    <section
      id="stage"
      tabIndex={-1}
      aria-label="Pictures"
      ref={stage}
      className={`stage ${isZoomed ? 'zoomed' : ''}`}
      onPointerDown={() => {
        dragged.current = 0;
      }}
      onPointerMove={({ buttons, pointerType, movementX, movementY, currentTarget }) => {
        // A finger scrolls by itself.
        if (buttons !== 1 || pointerType !== 'mouse') return;
        dragged.current += Math.abs(movementX) + Math.abs(movementY);
        currentTarget.scrollBy(-movementX, -movementY);
      }}
      onClick={(event) => {
        if (dragged.current <= 5) zoomAt(event);
      }}
    >
      {files.map((file, at) =>
        isZoomed && at !== active ? null : (
          <figure
            key={file.url}
            data-at={at}
            className={at === active ? 'active' : ''}
            style={isZoomed ? { width: `${scale * 100}%`, height: `${scale * 100}%` } : undefined}
          >
            <Shown file={file} />
          </figure>
        ),
      )}
    </section>
  );
}

function Shown({ file }: { readonly file: ProofFile & { readonly label?: string } }): ReactNode {
  const { pictures, reading } = useDesk();
  const { image, problem } = pictures.of(file) ?? {};
  return (
    <>
      {image && !problem ? (
        <img
          src={image.src}
          alt={[file.label, file.name].filter(Boolean).join(': ')}
          decoding="sync"
          draggable={false}
        />
      ) : (
        <p className="empty">{problem ?? `${file.name} is loading.`}</p>
      )}
      <figcaption className="line">
        {file.label && <span className="badge">{file.label}</span>}
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
    </>
  );
}
