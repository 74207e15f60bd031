import { type ReactNode, useRef } from 'react';
import { useDesk } from './controls.tsx';
import { picturesOf } from './pictures.ts';
import type { ProofFile, Task } from './protocol.ts';

/** The pictures of a task side by side, or one of them, zoomed: then it is moved by scrolling, dragging and arrows. */
export function Stage({ task }: { readonly task: Task }): ReactNode {
  const { state, zoomAt } = useDesk();
  const { picture: active, scale } = state;
  const dragged = useRef(0);
  const isZoomed = scale > 1;
  const size = isZoomed ? { width: `${scale * 100}%`, height: `${scale * 100}%` } : undefined;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Z and arrows do the same
    <section
      id="stage"
      tabIndex={-1}
      aria-label="Pictures"
      className={isZoomed ? 'zoomed' : ''}
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
        if (dragged.current <= 5) zoomAt(event.nativeEvent);
      }}
    >
      {picturesOf(task).map((file, at) =>
        isZoomed && at !== active ? null : (
          <figure key={file.url} data-at={at} className={at === active ? 'active' : ''} style={size}>
            <Shown file={file} />
          </figure>
        ),
      )}
    </section>
  );
}

/** A picture and its name, or why it cannot be shown. */
function Shown({ file }: { readonly file: ProofFile & { readonly label?: string } }): ReactNode {
  const { pictures } = useDesk();
  const { label, name, kind } = file;
  const picture = pictures.of(file) ?? `${name} is loading.`;
  return (
    <>
      {typeof picture === 'string' ? (
        <p className="empty">{picture}</p>
      ) : (
        // As it was decoded: one that is drawn anew would be decoded again.
        <div
          ref={(box) => {
            picture.alt = [label, name].filter(Boolean).join(': ');
            if (box?.firstChild !== picture) box?.replaceChildren(picture);
          }}
        />
      )}
      <figcaption className="line">
        {label && <span className="badge">{label}</span>}
        <SaveButton file={file} className="badge clip">
          {name}
          {kind === 'pdf' && ' · first page'}
        </SaveButton>
      </figcaption>
    </>
  );
}

/** A button that saves a file. */
export function SaveButton(props: {
  readonly file: ProofFile;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactNode {
  const { pictures, reading } = useDesk();
  const save = () => void pictures.save(props.file).catch(reading.failed);
  return (
    <button type="button" className={props.className} title="Save this file" onClick={save}>
      {props.children}
    </button>
  );
}
