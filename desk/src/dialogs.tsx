import { type ReactNode, useEffect, useState } from 'react';
import { Key, KeyButton, Rating, useDesk } from './controls.tsx';
import { focusOn } from './desk.ts';
import { keys } from './keys.ts';
import type { Members } from './protocol.ts';
import type { Asking } from './state.ts';

const opened = (dialog: HTMLDialogElement | null) => dialog?.showModal();

function Dialog({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  useEffect(() => () => focusOn('task'), []);
  return (
    <dialog ref={opened} aria-label={title} onClose={useDesk().close}>
      <header className="line">
        <h2 className="grow">{title}</h2>
        <KeyButton of="Esc">Close</KeyButton>
      </header>
      {children}
    </dialog>
  );
}

export function KeysDialog(): ReactNode {
  return (
    <Dialog title="Keys">
      <div>
        {keys.map(([key, does]) => (
          <p key={key}>
            <span className="badge">{key}</span> {does}
          </p>
        ))}
      </div>
    </Dialog>
  );
}

/** Whom the task can be assigned to. */
export function AssignDialog(): ReactNode {
  const { store, client, reading, deciding, close } = useDesk();
  const [members, setMembers] = useState<Members>([]);
  useEffect(() => {
    const closed = new AbortController();
    focusOn('members');
    client.read<Members>('/desk/api/members', undefined, closed.signal).then(setMembers, reading.failed);
    return () => closed.abort();
  }, [client, reading]);
  return (
    <Dialog title={`Assign ${store.row()?.worker ?? ''}`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const to = new FormData(event.currentTarget).get('to');
          close();
          void deciding.assign(members.find(({ member }) => member === to));
        }}
      >
        <select
          name="to"
          id="members"
          required
          size={12}
          aria-label="Member"
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.form?.requestSubmit()}
        >
          <option value="nobody">Nobody</option>
          {members.map(({ member, name }) => (
            <option key={member} value={member}>
              {name}
            </option>
          ))}
        </select>
        <button type="submit">Assign</button>
      </form>
    </Dialog>
  );
}

/**
 * What is asked below the task before ratings are made. Digits choose a saved reason until the text has the focus; several
 * OKs only show whose they are.
 */
export function AskingPanel({ asking }: { readonly asking: Asking }): ReactNode {
  const { store, deciding } = useDesk();
  const { verdict, tasks, text, reason } = asking;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another rating is another form
  useEffect(() => {
    // Its keys work at once, and it is read.
    focusOn('asking');
    return () => focusOn('task');
  }, [verdict]);

  const tone = verdict.toLowerCase();
  const isOk = verdict === 'OK';
  const workers = tasks.map(({ task }) => store.worker(task)).join(', ');
  const who = tasks.length === 1 ? workers : `${tasks.length} selected`;
  const title = verdict === 'REVISE' ? `Request a revision from ${who}` : `${verdict} for ${who}`;
  const send = { OK: `Rate ${tasks.length} OK`, NOK: 'Rate NOK', REVISE: 'Request revision' }[verdict];
  return (
    <section className={`panel stack scroll ${tone}`} aria-label={title} id="asking" tabIndex={-1}>
      <header className="line">
        <Rating verdict={verdict} />
        <h2 className="grow">{title}</h2>
        {!isOk && <KeyButton of="Tab">Edit</KeyButton>}
      </header>
      {tasks.length > 1 && <p>{workers}</p>}
      {isOk ? (
        <p>{tasks.length === 1 ? 'The worker is paid.' : 'These workers are paid.'}</p>
      ) : (
        <textarea
          id="reason"
          aria-label={verdict === 'NOK' ? 'Reason for NOK' : 'What to revise'}
          placeholder={`${tasks.length === 1 ? who : 'Each worker'} reads this.`}
          rows={3}
          value={text}
          onChange={({ target }) => deciding.typed(target.value)}
          onKeyDown={(event) => {
            const { key, shiftKey, repeat, nativeEvent } = event;
            if (key !== 'Enter' || shiftKey || repeat || nativeEvent.isComposing) return;
            event.preventDefault();
            deciding.send();
          }}
        />
      )}
      <div className="line">
        <div className="line grow">
          {deciding.textsFor(asking).map(
            (choice, number) =>
              choice && (
                <button
                  key={choice.id ?? 'own'}
                  type="button"
                  aria-pressed={reason === choice.id && text === choice.text}
                  title={choice.text}
                  onClick={() => deciding.choose(number)}
                >
                  <Key>{number}</Key> {choice.name}
                </button>
              ),
          )}
        </div>
        <KeyButton of="Esc">Close</KeyButton>
        <KeyButton of="Enter" className={tone} isOff={!isOk && text.trim() === ''}>
          {send}
        </KeyButton>
      </div>
    </section>
  );
}
