import { ChevronLeft, ChevronRight, Download, List, PanelRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { AskingPanel } from './asking.tsx';
import { KeyButton, Rating, useDesk } from './controls.tsx';
import { focusOn } from './desk.ts';
import { picturesOf } from './pictures.ts';
import type { Piece, Task } from './protocol.ts';
import { Stage } from './stage.tsx';
import { due } from './words.ts';

/** The task that is decided about: what was asked and submitted, its pictures, and the acts. */
export function TaskView(): ReactNode {
  const { state, store } = useDesk();
  const { panel, current, isLoading } = state;
  const task = store.task();
  const nothing =
    current !== undefined || isLoading ? 'Loading…' : 'No more tasks. New ones appear by themselves.';
  return (
    <main className="task" id="task" tabIndex={-1}>
      <Head />
      {task ? <Body task={task} /> : <p className="empty quiet">{nothing}</p>}
      {panel?.kind === 'rate' && <AskingPanel asking={panel} />}
      <Actions />
    </main>
  );
}

function Head(): ReactNode {
  const { state, store, reading, deciding } = useDesk();
  const { current = '', order, selected } = state;
  const row = store.row();
  const time = due(row?.dueAt, store.now());
  const looks = reading.lookedAtBy(current);
  const round = row && row.round > 1 ? `Round ${row.round}` : undefined;
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
          {time && <span className={time.tone}> · {time.long}</span>}
        </p>
      </div>
      {looks && <span className="badge toned revise">{looks} is looking</span>}
      {selected.size > 0 && (
        <button type="button" className="small" onClick={deciding.clearSelection}>
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
  const { pictures, reading } = useDesk();
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
          {slots.map(({ asked, pieces, links }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: slots have no name but their place
            <li key={at}>
              {asked && <p className="quiet">{asked}</p>}
              <div>
                <p>{pieces.map(drawPiece)}</p>
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
            <button
              key={file.url}
              type="button"
              className="small"
              onClick={() => void pictures.save(file).catch(reading.failed)}
            >
              <Download size={14} aria-hidden="true" /> {file.name}
            </button>
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

/** Draws a piece of a text; what has changed since the round before is marked. */
function drawPiece({ text, change }: Piece, at: number): ReactNode {
  if (change === undefined) return text;
  const [Mark, tone] = change === 'added' ? (['ins', 'ok'] as const) : (['del', 'nok'] as const);
  return (
    <Mark key={at} className={`toned ${tone}`}>
      {text}
    </Mark>
  );
}

/** Says which decision stands, and what was written for another one; offers to undo it. */
function Decided(): ReactNode {
  const { store, deciding } = useDesk();
  const { task = '', decided } = store.row() ?? {};
  if (!decided) return null;
  const kept = deciding.keptText(task);
  return (
    <div className={`boxed line ${decided.verdict.toLowerCase()}`}>
      <Rating verdict={decided.verdict} />
      <div className="grow">
        <p>{decided.sentence}</p>
        {kept && <p className="quiet">Your text: {kept}</p>}
      </div>
      {store.canUndo(decided) && (
        <button type="button" className="small" onClick={() => void deciding.undo(task, decided)}>
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
    <fieldset className="actions line" aria-label="Rate and assign">
      {act('O', 'OK', isRead, 'ok')}
      {many && act('⇧O', `OK${many}`, true, 'ok')}
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
    </fieldset>
  );
}
