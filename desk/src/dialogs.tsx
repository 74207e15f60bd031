import { type ReactNode, useEffect, useRef, useState } from 'react';
import { KeyButton, useDesk } from './controls.tsx';
import { focusOn } from './desk.ts';
import { keys } from './keys.ts';
import type { Members } from './protocol.ts';

const typingMs = 200;

function Dialog({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  const { close } = useDesk();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    return () => focusOn('task');
  }, []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={close}>
      <header className="line">
        <h2 className="grow">{title}</h2>
        <KeyButton of="Esc" className="small">
          Close
        </KeyButton>
      </header>
      {children}
    </dialog>
  );
}

export function KeysDialog(): ReactNode {
  const groups = [...new Set(keys.map(([group]) => group))];
  return (
    <Dialog title="Keys">
      <div className="key-groups">
        {groups.map((group) => (
          <section key={group} className="stack">
            <h3>{group}</h3>
            {keys
              .filter(([of]) => of === group)
              .map(([, key, does]) => (
                <p key={key}>
                  <kbd>{key}</kbd> {does}
                </p>
              ))}
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** Whom the task can be assigned to, looked up by what is typed; nothing typed: nobody. */
export function AssignDialog(): ReactNode {
  const { store, client, reading, deciding } = useDesk();
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<Members>([]);
  const wanted = typed.trim().toLowerCase();
  useEffect(() => {
    const query = new URLSearchParams({ q: wanted });
    const find = () => client.get<Members>(`/desk/api/members?${query}`).then(setFound, reading.failed);
    const timer = setTimeout(() => void find(), typingMs);
    return () => clearTimeout(timer);
  }, [wanted, client, reading]);
  // What was found may be about what was typed before.
  const matching = found.filter(({ name }) => name.toLowerCase().includes(wanted));
  const offered = wanted === '' ? [...matching, undefined] : matching;
  return (
    <Dialog title={`Assign ${store.row()?.worker ?? ''}`}>
      <form
        className="stack"
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted !== '' && matching[0]) deciding.assign(matching[0]);
        }}
      >
        <input
          autoFocus
          aria-label="Member"
          placeholder="Name; Enter assigns to the first"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        {offered.map((member) => (
          <button key={member?.member ?? ''} type="button" onClick={() => deciding.assign(member)}>
            {member?.name ?? 'Nobody'}
          </button>
        ))}
        {offered.length === 0 && <p className="quiet">Nobody has this name.</p>}
      </form>
    </Dialog>
  );
}
