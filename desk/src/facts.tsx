import { type ReactNode, useState } from 'react';
import { focusOn } from './commands.ts';
import { Key } from './controls.tsx';
import { useDesk } from './desk.ts';
import { moment } from './words.ts';

/** What is known beside the task: evidence, the worker's record, who has it, notes; and the session. */
export function Facts(): ReactNode {
  const desk = useDesk();
  const { state, store, deciding, reading } = desk;
  const { me, current = '' } = state;
  const task = desk.task();
  const row = store.rows.get(current);
  const looks = reading.lookedAtBy(current);
  return (
    <aside className="facts scroll" aria-label="About this task">
      <header className="head line">
        <span className="grow clip">{me?.name}</span>
        <button
          type="button"
          className="button small"
          onClick={() => desk.client.post('/desk/sign-out', {}).then(() => location.reload(), reading.failed)}
        >
          Sign out
        </button>
      </header>
      {me?.warnings.map((warning) => (
        <p key={warning} className="warning toned revise">
          {warning}
        </p>
      ))}
      <section>
        <h2>Evidence</h2>
        <Sentences of={task?.evidence} className="evidence revise" none="Nothing like it was found." />
      </section>
      <section>
        <h2>Record{row && ` of ${row.worker}`}</h2>
        <Sentences of={task?.record} none="No earlier tasks." />
      </section>
      <section>
        <h2>Assigned to</h2>
        <p>{row?.assignedTo ? (row.isMine ? 'You' : row.assignedTo) : 'Nobody'}</p>
        {looks && <p>{looks} is looking at it now.</p>}
      </section>
      <section>
        <h2>Notes</h2>
        <ul>
          {task?.notes.map(({ by, at, text }) => (
            <li key={`${at} ${text}`}>
              <span className="quiet">
                {by} · {moment(at)}
              </span>
              <p>{text}</p>
            </li>
          ))}
        </ul>
        <NoteField key={current} isOff={!task} onSend={deciding.note} />
      </section>
    </aside>
  );
}

function Sentences(props: {
  readonly of: readonly string[] | undefined;
  readonly none: string;
  readonly className?: string;
}): ReactNode {
  if (props.of?.length === 0) return <p className="quiet">{props.none}</p>;
  return (
    <ul className={props.className}>
      {props.of?.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function NoteField(props: { readonly isOff: boolean; readonly onSend: (text: string) => void }): ReactNode {
  const [text, setText] = useState('');
  return (
    <form
      className="keyed"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        props.onSend(text.trim());
        setText('');
        focusOn('task');
      }}
    >
      <input
        id="note"
        aria-label="Note"
        placeholder="Write a note"
        autoComplete="off"
        disabled={props.isOff}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Key>M</Key>
    </form>
  );
}
