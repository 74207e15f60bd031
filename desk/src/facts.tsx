import type { ReactNode } from 'react';
import { Key } from './controls.tsx';
import { focusOn, useDesk } from './desk.ts';
import { moment } from './words.ts';

/** What is known beside the task: evidence, the worker's record, who has it, notes; and the session. */
export function Facts(): ReactNode {
  const { state, store, client, reading, deciding } = useDesk();
  const { me, current = '' } = state;
  const task = store.task();
  const row = store.rows.get(current);
  const looks = reading.lookedAtBy(current);
  const list = (sentences: readonly string[] = []) => (
    <ul>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
  return (
    <aside className="facts scroll" aria-label="About this task">
      <header className="head line">
        <span className="grow clip">{me?.name}</span>
        <button
          type="button"
          className="button small"
          onClick={() => {
            if (deciding.unsent().unsent > 0) store.say('Not everything is sent yet. Sign out when it is.');
            else client.post('/desk/sign-out', {}).then(() => location.reload(), reading.failed);
          }}
        >
          Sign out
        </button>
      </header>
      {me?.warnings.map((warning) => (
        <p key={warning} className="boxed revise">
          {warning}
        </p>
      ))}
      <section className="evidence revise">
        <h2>Evidence</h2>
        {task?.evidence.length === 0 ? (
          <p className="quiet">Nothing like it was found.</p>
        ) : (
          list(task?.evidence)
        )}
      </section>
      <section>
        <h2>Record{row && ` of ${row.worker}`}</h2>
        {list(task?.record)}
      </section>
      <section>
        <h2>Assigned to</h2>
        <p>{row?.isMine ? 'You' : (row?.assignedTo ?? 'Nobody')}</p>
        {looks && <p>{looks} is looking at it now.</p>}
      </section>
      <section>
        <h2>Notes</h2>
        {task?.notes.map(({ by, at, text }) => (
          <p key={`${at} ${text}`}>
            <span className="quiet">
              {by} · {moment(at)}
            </span>
            <br />
            {text}
          </p>
        ))}
        <NoteField key={current} task={current} />
      </section>
    </aside>
  );
}

function NoteField({ task }: { readonly task: string }): ReactNode {
  const { store, deciding } = useDesk();
  const text = deciding.notes.get(task) ?? '';
  return (
    <form
      className="keyed"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        deciding.note(text.trim());
        focusOn('task');
      }}
    >
      <input
        id="note"
        aria-label="Note"
        placeholder="Write a note"
        autoComplete="off"
        disabled={!store.task()}
        value={text}
        maxLength={500}
        onChange={({ target }) => {
          deciding.notes.set(task, target.value);
          store.redraw();
        }}
      />
      <Key>M</Key>
    </form>
  );
}
