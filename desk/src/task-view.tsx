import { ChevronLeft, ChevronRight, Download, List, PanelRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { CommandButton, Rating } from './controls.tsx';
import { useDesk } from './desk.ts';
import type { Command } from './keys.ts';
import type { Made, Piece, Task } from './protocol.ts';
import { Confirm, Reason } from './reason.tsx';
import { Stage } from './stage.tsx';
import { due } from './words.ts';

/** The task that is decided about: what was asked and submitted, its pictures, and the acts. */
export function TaskView(): ReactNode {
  const desk = useDesk();
  const { panel } = desk.state;
  const task = desk.task();
  return (
    <main className="task" id="task" tabIndex={-1}>
      <Head payment={task?.payment} />
      {task ? <Body task={task} /> : <Nothing />}
      {panel?.kind === 'reason' && <Reason form={panel} />}
      {panel?.kind === 'confirm' && <Confirm tasks={panel.tasks} />}
      <Actions isRead={task !== undefined} />
    </main>
  );
}

function Nothing(): ReactNode {
  const { state } = useDesk();
  if (state.isLoading || state.current !== undefined)
    return (
      <div className="body skeleton" aria-hidden="true">
        <span />
        <span />
        <span />
      </div>
    );
  return (
    <div className="body done">
      <p>{state.order.length === 0 ? 'No tasks are waiting.' : 'All done.'}</p>
      <p className="quiet">New tasks appear in the queue by themselves.</p>
    </div>
  );
}

function Head({ payment }: { readonly payment: string | undefined }): ReactNode {
  const { state, store, reading, deciding } = useDesk();
  const { current = '', order, selected } = state;
  const row = store.rows.get(current);
  const time = row?.dueAt === undefined ? undefined : due(row.dueAt, store.now());
  const looks = reading.lookedAtBy(current);
  const place = order.indexOf(current) + 1;
  const opens = (sheet: 'queue' | 'facts', label: string, icon: ReactNode) => (
    <button
      type="button"
      className="button icon narrow"
      aria-label={label}
      onClick={() => store.set({ sheet })}
    >
      {icon}
    </button>
  );
  return (
    <header className="head line">
      {opens('queue', 'Queue', <List size={18} />)}
      <div className="grow">
        <h1 className="clip">{row?.worker ?? 'Desk'}</h1>
        <p className="about quiet clip">
          {row && <span>{row.campaign}</span>}
          {row && <span>{row.country}</span>}
          {row && row.round > 1 && <span>Round {row.round}</span>}
          {payment && <span>{payment}</span>}
          {time && <span className={time.tone}>{time.long}</span>}
        </p>
      </div>
      {looks && <span className="badge toned revise">{looks} is looking</span>}
      {selected.size > 0 && (
        <button type="button" className="button small" onClick={deciding.clearSelection}>
          {selected.size} selected · Clear
        </button>
      )}
      <span className="quiet wide">
        {place > 0 && `${place.toLocaleString('en')} of ${order.length.toLocaleString('en')}`}
      </span>
      <CommandButton command="previous" className="icon wide">
        <ChevronLeft size={18} aria-label="Previous task (K)" />
      </CommandButton>
      <CommandButton command="next" className="icon">
        <ChevronRight size={18} aria-label="Next task (J)" />
      </CommandButton>
      {opens('facts', 'Evidence and notes', <PanelRight size={18} />)}
    </header>
  );
}

function Body({ task }: { readonly task: Task }): ReactNode {
  const { files, store, pictures, reading } = useDesk();
  const [isOpen, setOpen] = useState(false);
  const shown = files();
  const { before } = task;
  const decided = store.rows.get(task.task)?.decided;
  return (
    <div className={`body ${shown.length > 0 ? 'with-pictures' : ''}`}>
      <div className="proof scroll">
        {decided && <Decided task={task.task} made={decided} />}
        {before && (
          <section className="before revise" aria-label="Previous round">
            <h2>Revision requested{before.by ? ` by ${before.by}` : ''}</h2>
            <p>{before.comment}</p>
            {before.sentence && <p className="quiet">{before.sentence}</p>}
          </section>
        )}
        <ol className="slots">
          {task.slots.map(({ asked, pieces, links }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: slots have no name but their place
            <li key={at}>
              {asked && <p className="quiet">{asked}</p>}
              <div className="submitted">
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
        {task.files
          .filter(({ kind }) => kind === 'other')
          .map((file) => (
            <button
              key={file.url}
              type="button"
              className="button small file"
              onClick={() => void pictures.save(file).catch(reading.failed)}
            >
              <Download size={14} aria-hidden="true" /> {file.name}
            </button>
          ))}
        {task.instructions && (
          <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary>Instructions</summary>
            <p className="instructions">{task.instructions}</p>
          </details>
        )}
      </div>
      {shown.length > 0 && <Stage files={shown} />}
    </div>
  );
}

/** Draws a piece of a text; what has changed since the round before is marked. */
function drawPiece({ text, change }: Piece, at: number): ReactNode {
  if (change === undefined) return text;
  const Mark = change === 'added' ? 'ins' : 'del';
  return (
    <Mark key={at} className={`toned ${change === 'added' ? 'ok' : 'nok'}`}>
      {text}
    </Mark>
  );
}

/** Says which decision stands, and offers what can be done about it. */
function Decided({ task, made }: { readonly task: string; readonly made: Made }): ReactNode {
  const { store, deciding } = useDesk();
  const canUndo = made.id !== '' && (made.isHeld === true || (made.undoUntil ?? 0) > store.now());
  return (
    <p className={`decided line ${made.verdict.toLowerCase()}`}>
      <Rating verdict={made.verdict} />
      <span className="grow">{made.sentence}</span>
      {canUndo && (
        <button type="button" className="button small" onClick={() => deciding.undoMade(task, made)}>
          Undo
        </button>
      )}
      <CommandButton command="next" hint="J" className="small">
        Next task
      </CommandButton>
    </p>
  );
}

function Actions({ isRead }: { readonly isRead: boolean }): ReactNode {
  const { state, store, deciding } = useDesk();
  const { selected, current = '', decisions } = state;
  const many = selected.size > 0 ? ` ${selected.size}` : '';
  const canRate = isRead || selected.size > 0;
  const take = store.rows.get(current)?.isMine ? 'Release' : 'Take';
  const act = (command: Command, hint: string, label: string, isPossible: boolean, className = '') => (
    <CommandButton command={command} hint={hint} className={className} isDisabled={!isPossible}>
      {label}
    </CommandButton>
  );
  return (
    <fieldset className="actions line" aria-label="Rate and assign">
      {act('ok', 'O', `OK${many}`, canRate, 'ok')}
      {act('nok', 'N', `NOK${many}`, canRate, 'nok')}
      {act('revise', 'R', `REVISE${many}`, canRate, 'revise')}
      <span className="grow" />
      {act('undo', 'U', 'Undo', decisions.some(deciding.canUndo))}
      {act('select', 'X', selected.has(current) ? 'Unselect' : 'Select', isRead)}
      {act('take', 'T', take, isRead)}
      {act('assign', 'A', 'Assign', isRead)}
      {act('keys', '?', 'Keys', true, 'wide')}
    </fieldset>
  );
}
