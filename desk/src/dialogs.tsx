import { type ReactNode, useEffect, useState } from 'react';
import { KeyButton, useDesk } from './controls.tsx';
import { keys } from './keys.ts';
import type { Members } from './protocol.ts';

const opened = (dialog: HTMLDialogElement | null) => dialog?.showModal();

function Dialog({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
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
  const groups = [...new Set(keys.map(([group]) => group))];
  return (
    <Dialog title="Keys">
      <div>
        {groups.map((group) => (
          <section key={group} className="stack">
            <h3>{group}</h3>
            {keys
              .filter(([of]) => of === group)
              .map(([, key, does]) => (
                <p key={key}>
                  <span className="badge">{key}</span> {does}
                </p>
              ))}
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** Whom the task can be assigned to, narrowed by what is typed; nothing typed: also nobody. */
export function AssignDialog(): ReactNode {
  const { store, client, reading, deciding, close } = useDesk();
  const [typed, setTyped] = useState('');
  const [members, setMembers] = useState<Members>([]);
  useEffect(() => {
    client.read<Members>('/desk/api/members').then(setMembers, reading.failed);
  }, [client, reading]);
  const wanted = typed.trim().toLowerCase();
  const matching = members.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, 20);
  const assign = (to: Members[number] | undefined) => {
    close();
    void deciding.assign(to);
  };
  return (
    <Dialog title={`Assign ${store.row()?.worker ?? ''}`}>
      <form
        className="stack"
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted !== '' && matching[0]) assign(matching[0]);
        }}
      >
        <input
          autoFocus
          aria-label="Member"
          placeholder="Name; Enter assigns to the first"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        {[...matching, ...(wanted === '' ? [undefined] : [])].map((member) => (
          <button key={member?.member ?? ''} type="button" onClick={() => assign(member)}>
            {member?.name ?? 'Nobody'}
          </button>
        ))}
        {wanted !== '' && matching.length === 0 && <p className="quiet">Nobody has this name.</p>}
      </form>
    </Dialog>
  );
}
