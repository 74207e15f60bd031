import { type ReactNode, useEffect, useRef, useState } from 'react';
import { KeyButton } from './controls.tsx';
import { focusOn, useDesk } from './desk.ts';
import { keys } from './keys.ts';
import type { Members } from './protocol.ts';

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
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {keys
                .filter(([of]) => of === group)
                .map(([, key, does]) => [
                  <dt key={key}>
                    <kbd className="key">{key}</kbd>
                  </dt>,
                  <dd key={does}>{does}</dd>,
                ])}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** Whom the task can be assigned to, looked up by what is typed; nothing typed: nobody. */
export function AssignDialog(): ReactNode {
  const { state, store, client, reading, deciding } = useDesk();
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<Members>([]);
  useEffect(() => {
    const query = new URLSearchParams({ q: typed });
    client.get<Members>(`/desk/api/members?${query}`).then(setFound, reading.failed);
  }, [typed, client, reading]);
  const wanted = typed.trim().toLowerCase();
  const matching = found.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <Dialog title={`Assign ${store.worker(state.current ?? '')}`}>
      <form
        className="members"
        onSubmit={(event) => {
          event.preventDefault();
          const [first] = matching;
          if (wanted !== '' && first) deciding.assign(first);
        }}
      >
        <input
          autoFocus
          aria-label="Member"
          placeholder="Name; Enter assigns to the first"
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        {matching.map((member) => (
          <button key={member.member} type="button" onClick={() => deciding.assign(member)}>
            {member.name}
          </button>
        ))}
        {wanted === '' && (
          <button type="button" onClick={() => deciding.assign(undefined)}>
            Nobody
          </button>
        )}
        {wanted !== '' && matching.length === 0 && <p className="quiet">Nobody has this name.</p>}
      </form>
    </Dialog>
  );
}
