import { ChevronLeft, ChevronRight, List, PanelRight } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { KeyButton, Rating, useDesk } from './controls.tsx';
import { focusOn } from './desk.ts';
import { AskingPanel } from './dialogs.tsx';
import { picturesOf } from './pictures.ts';
import type { Piece, ProofFile, Task } from './protocol.ts';
import { due } from './words.ts';

/** The task that is decided about: what was asked and submitted, its pictures, and the acts. */
export function TaskView(): ReactNode {
  const { state, store } = useDesk();
  const { asking, current, isLoading } = state;
  const task = store.task();
  const nothing =
    current !== undefined || isLoading ? 'Loading…' : 'No more tasks. New ones appear by themselves.';
  return (
    <main className="task" id="task" tabIndex={-1}>
      <Head />
      {task ? <Body task={task} /> : <p className="empty quiet">{nothing}</p>}
      {asking && <AskingPanel asking={asking} />}
      <Actions />
    </main>
  );
}

function Head(): ReactNode {
  const { state, store, deciding } = useDesk();
  const { current = '', order, selected } = state;
  const row = store.row();
  const time = due(row?.dueAt, store.now());
  const round = row && row.round > 1 && `Round ${row.round}`;
  const facts = [row?.campaign, row?.country, round, store.task()?.payment].filter(Boolean);
  const place = order.indexOf(current) + 1;
  const shows = (part: 'queue' | 'facts', label: string, icon: ReactNode) => (
    <button type="button" className="narrow" aria-label={label} onClick={() => focusOn(part)}>
      {icon}
    </button>
  );
  return (
    <header className="line">
      {shows('queue', 'Queue', <List size={18} />)}
      <div className="grow">
        <h1 className="clip">{row?.worker ?? 'Desk'}</h1>
        <p className="quiet clip">
          {facts.join(' · ')}
          {time && <span className={time.tone}> · {time.text}</span>}
        </p>
      </div>
      {row?.lookedAtBy && <span className="badge toned revise">{row.lookedAtBy} is looking</span>}
      {selected.size > 0 && (
        <button type="button" onClick={deciding.clearSelection}>
          {selected.size} selected · Clear
        </button>
      )}
      <span className="quiet wide">
        {row && `${place.toLocaleString('en')} of ${order.length.toLocaleString('en')}`}
      </span>
      <KeyButton of="K" className="wide">
        <ChevronLeft size={18} aria-label="Previous task" />
      </KeyButton>
      <KeyButton of="J">
        <ChevronRight size={18} aria-label="Next task" />
      </KeyButton>
      {shows('facts', 'Evidence and notes', <PanelRight size={18} />)}
    </header>
  );
}

function Body({ task }: { readonly task: Task }): ReactNode {
  const { before, slots, files, instructions } = task;
  return (
    <div className="body">
      <div className="proof scroll">
        <Decided />
        {before && (
          <section className="boxed revise" aria-label="Previous round">
            <h2>Revision requested{before.by && ` by ${before.by}`}</h2>
            <p>{before.comment}</p>
            <p className="quiet">{before.sentence}</p>
          </section>
        )}
        <ol>
          {slots.map(({ asked, pieces, before, links }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: slots have no name but their place
            <li key={at}>
              {asked && <p className="quiet">{asked}</p>}
              <div>
                {before && <p className="quiet">Before: {draw(before, 'del')}</p>}
                <p>{draw(pieces, 'ins')}</p>
                {links.map(({ url, host }) => (
                  <p key={url}>
                    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
                      {url}
                    </a>{' '}
                    <span className="badge">{host}</span>
                  </p>
                ))}
              </div>
            </li>
          ))}
        </ol>
        {files
          .filter(({ kind }) => kind === 'other')
          .map((file) => (
            <SaveButton key={file.url} file={file} />
          ))}
        {instructions && (
          <details>
            <summary className="quiet">Instructions</summary>
            <p>{instructions}</p>
          </details>
        )}
      </div>
      {picturesOf(task).length > 0 && <Stage task={task} />}
    </div>
  );
}

/** Draws a text; what the other round lacks is marked. */
const draw = (pieces: readonly Piece[], Mark: 'ins' | 'del') =>
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no name but their place
  pieces.map(({ text, isDifferent }, at) => [isDifferent ? <Mark key={at}>{text}</Mark> : text, ' ']);

/** The pictures of a task side by side, or one of them, zoomed: then it is moved by scrolling, dragging and arrows. */
export function Stage({ task }: { readonly task: Task }): ReactNode {
  const { state, pictures, zoomAt } = useDesk();
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
      {picturesOf(task).map(({ label, ...file }, at) => {
        if (isZoomed && at !== active) return null;
        const { url, name, kind } = file;
        const picture = pictures.of(file) ?? `${name} is loading.`;
        return (
          <figure key={url} data-at={at} className={at === active ? 'active' : ''} style={size}>
            {typeof picture === 'string' ? (
              <p className="empty">{picture}</p>
            ) : (
              // As it was decoded: one that is drawn anew would be decoded again.
              <div
                ref={(box) => {
                  picture.alt = label ? `${label}: ${name}` : name;
                  if (box?.firstChild !== picture) box?.replaceChildren(picture);
                }}
              />
            )}
            <figcaption className="line">
              {label && <span className="badge">{label}</span>}
              <SaveButton file={file} />
              {kind === 'pdf' && 'First page'}
            </figcaption>
          </figure>
        );
      })}
    </section>
  );
}

function SaveButton({ file }: { readonly file: ProofFile }): ReactNode {
  const { pictures, reading } = useDesk();
  const save = () => void pictures.save(file).catch(reading.failed);
  return (
    <button type="button" className="badge clip" title="Save this file" onClick={save}>
      {file.name}
    </button>
  );
}

/** Says which decision stands, and what was written for another one; offers to undo it. */
function Decided(): ReactNode {
  const { store, deciding } = useDesk();
  const { task = '', decided } = store.row() ?? {};
  if (!decided) return null;
  const { id, verdict } = decided;
  const kept = deciding.textOf(task);
  return (
    <div className={`boxed line ${verdict.toLowerCase()}`}>
      <Rating verdict={verdict} />
      <div className="grow">
        <p>{decided.sentence}</p>
        {kept && <p className="quiet">Your text: {kept}</p>}
      </div>
      {store.canUndo(decided) && (
        <button type="button" onClick={() => void deciding.undo(task, verdict, id)}>
          Undo
        </button>
      )}
    </div>
  );
}

function Actions(): ReactNode {
  const { state, store, deciding } = useDesk();
  const { selected, current = '', decisions, scale } = state;
  const isRead = store.task() !== undefined;
  const pictures = picturesOf(store.task()).length;
  const many = selected.size > 0 ? ` ${selected.size}` : '';
  const act = (key: string, label: string, isPossible: boolean, className = '') => (
    <KeyButton of={key} className={className} isOff={!isPossible}>
      {label}
    </KeyButton>
  );
  return (
    <div className="line" role="toolbar" aria-label="Rate and assign">
      {act('O', 'OK', isRead && !state.asking, 'ok')}
      {many && act('⇧O', `OK${many}`, !state.asking, 'ok')}
      {act('N', `NOK${many}`, isRead || many !== '', 'nok')}
      {act('R', `REVISE${many}`, isRead || many !== '', 'revise')}
      <span className="grow" />
      {pictures > 0 && act('Z', scale > 1 ? `${Math.round(scale * 100)} %` : 'Zoom', true)}
      {pictures > 1 && act('Space', 'Next picture', true)}
      {act('U', 'Undo', decisions.some(deciding.canUndo))}
      {act('X', selected.has(current) ? 'Unselect' : 'Select', isRead)}
      {act('T', store.row()?.isMine ? 'Release' : 'Take', isRead)}
      {act('A', 'Assign', isRead)}
      {act('?', 'Keys', true, 'wide')}
    </div>
  );
}
