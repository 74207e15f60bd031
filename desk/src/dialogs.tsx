import { type ReactNode, useEffect, useRef, useState } from 'react';
import { focusOn } from './commands.ts';
import { Key } from './controls.tsx';
import { useDesk } from './desk.ts';
import { keys } from './keys.ts';
import type { Members } from './protocol.ts';

function Dialog({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  const { store } = useDesk();
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => store.set({ panel: undefined });
  useEffect(() => {
    dialog.current?.showModal();
    return () => focusOn('task');
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by itself
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onClose={close}
      onClick={({ target, currentTarget }) => target === currentTarget && close()}
    >
      <header className="head line">
        <h2 id="dialog-title" className="grow">
          {title}
        </h2>
        <button type="button" className="button small" onClick={close}>
          Close<Key>Esc</Key>
        </button>
      </header>
      {children}
    </dialog>
  );
}

export function KeysDialog(): ReactNode {
  const titles = [...new Set(keys.map(([title]) => title))];
  return (
    <Dialog title="Keys">
      <div className="key-groups">
        {titles.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {keys
                .filter(([title]) => title === group)
                .map(([, key, , does]) => [
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

/** Whom the task can be assigned to: typed names are looked up, arrows and Enter choose. */
export function AssignDialog(): ReactNode {
  const { store, client, reading, deciding } = useDesk();
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<Members>([]);
  const [at, setAt] = useState(0);
  const row = store.rows.get(store.get().current ?? '');
  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(
      () =>
        client.get<Members>(`/desk/api/members?q=${encodeURIComponent(typed)}`).then((members) => {
          if (isOld) return;
          setFound(members);
          setAt(0);
        }, reading.failed),
      typed === '' ? 0 : 150,
    );
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [typed, client, reading]);
  const options = [...found, ...(row?.assignedTo ? [undefined] : [])];
  return (
    <Dialog title={`Assign ${row?.worker ?? 'the task'}`}>
      <input
        autoFocus
        role="combobox"
        aria-label="Member"
        aria-expanded={options.length > 0}
        aria-controls="members"
        aria-activedescendant={options.length > 0 ? `member-${at}` : undefined}
        placeholder="Name"
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by !== undefined) setAt((at + by + options.length) % Math.max(1, options.length));
          else if (event.key === 'Enter' && !event.repeat && at < options.length)
            deciding.assign(options[at]);
          else return;
          event.preventDefault();
        }}
      />
      <div role="listbox" id="members" aria-label="Members" hidden={options.length === 0}>
        {options.map((member, index) => (
          <button
            type="button"
            key={member?.member ?? 'nobody'}
            id={`member-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => deciding.assign(member)}
          >
            {member?.name ?? 'Nobody'}
          </button>
        ))}
      </div>
      {options.length === 0 && <p className="quiet">Nobody has this name.</p>}
    </Dialog>
  );
}
