import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Popover } from './popover.tsx';

export interface MenuEntry {
  name: string;
  note?: string | undefined;
  /** The keyboard shortcut. */
  key?: string;
  danger?: boolean;
  onChoose: () => void;
}

/** Renders a menu at its anchor: arrows move, Enter chooses, Escape or a click elsewhere closes. */
export function Menu(props: {
  anchor: RefObject<HTMLElement | null>;
  label: string;
  entries: MenuEntry[];
  onClose: () => void;
}): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const buttons = (): HTMLElement[] => [...(list.current?.querySelectorAll('button') ?? [])];
  useEffect(() => {
    list.current?.querySelector('button')?.focus({ preventScroll: true });
  }, []);

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const all = buttons();
      const at = all.indexOf(document.activeElement as HTMLElement);
      all[(at + step + all.length) % all.length]?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.stopPropagation();
      event.preventDefault();
      props.onClose();
      props.anchor.current?.focus();
    }
  };

  return (
    <Popover anchor={props.anchor} onDismiss={props.onClose}>
      <div
        role="menu"
        tabIndex={-1}
        aria-label={props.label}
        className="menu"
        ref={list}
        onKeyDown={onKeyDown}
      >
        {props.entries.map((entry) => (
          <button
            key={entry.name}
            type="button"
            role="menuitem"
            className={entry.danger ? 'danger' : undefined}
            onClick={() => {
              props.onClose();
              props.anchor.current?.focus();
              entry.onChoose();
            }}
          >
            {entry.name}
            {entry.key && <kbd>{entry.key}</kbd>}
            {entry.note && <small>{entry.note}</small>}
          </button>
        ))}
        {props.entries.length === 0 && <p className="quiet">Nothing here.</p>}
      </div>
    </Popover>
  );
}
