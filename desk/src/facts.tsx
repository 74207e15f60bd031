import type { ReactNode } from 'react';
import { Key, useDesk } from './controls.tsx';
import { focusOn } from './desk.ts';

/** What is known beside the task: evidence, the worker's record, who has it, notes; and the session. */
export function Facts(): ReactNode {
  const { state, store, deciding, signOut } = useDesk();
  const { me, current = '' } = state;
  const [task, row] = [store.task(), store.row()];
  const list = (sentences: readonly string[] = [], className = '') =>
    sentences.map((sentence) => (
      <p key={sentence} className={className}>
        {sentence}
      </p>
    ));
  return (
    <aside className="scroll" id="facts" tabIndex={-1} aria-label="About this task">
      <header className="line">
        <span className="grow clip">{me?.name}</span>
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </header>
      {list(me?.warnings, 'boxed revise')}
      <section className="stack">
        <h2>Evidence</h2>
        {list(task?.evidence, 'boxed revise')}
        {task?.evidence.length === 0 && <p className="quiet">Nothing like it was found.</p>}
      </section>
      <section className="stack">
        <h2>Record{row && ` of ${row.worker}`}</h2>
        {list(task?.record)}
      </section>
      <section className="stack">
        <h2>Assigned to</h2>
        <p>{row?.isMine ? 'You' : (row?.assignedTo ?? 'Nobody')}</p>
      </section>
      <section className="stack">
        <h2>Notes</h2>
        {task?.notes.map(({ by, text }) => (
          <p key={`${by} ${text}`}>
            <span className="quiet">{by}</span>
            <br />
            {text}
          </p>
        ))}
        <form
          className="line"
          autoComplete="off"
          onSubmit={(event) => {
            event.preventDefault();
            void deciding.note(current);
            focusOn('task');
          }}
        >
          <input
            id="note"
            aria-label="Note"
            placeholder="Write a note"
            disabled={!task}
            value={deciding.noteOf(current)}
            maxLength={500}
            onChange={({ target }) => deciding.typedNote(current, target.value)}
          />
          <Key>M</Key>
        </form>
      </section>
    </aside>
  );
}
