import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';

const focusable = 'button, input, textarea, select, a[href], [tabindex="0"]';

/** Renders a dialog over the page with a title and a close button. Escape closes it; Tab stays inside. */
export function Dialog(props: {
  title: string;
  narrow?: boolean;
  /** Nearly as large as the page. */
  wide?: boolean;
  /** Below another dialog: invisible, but keeps its input. */
  hidden?: boolean;
  onClose: () => void;
  children: ReactNode;
}): ReactNode {
  const titleId = useId();
  const box = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    if (props.hidden) return;
    const before = document.activeElement;
    const element = box.current;
    if (element && !element.contains(before)) {
      const first = element.querySelector<HTMLElement>('[data-autofocus], .dialog-body :is(input, textarea)');
      (first ?? element).focus();
    }
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [props.hidden]);

  // On the document, because an update may remove the focused element, and then the dialog would get no key events.
  const { hidden, onClose } = props;
  useEffect(() => {
    const onEscape = (event: globalThis.KeyboardEvent): void => {
      const top = [...document.querySelectorAll('.overlay:not([hidden]) > dialog')].at(-1);
      if (event.key === 'Escape' && !hidden && top === box.current) onClose();
    };
    document.addEventListener('keydown', onEscape);
    return () => document.removeEventListener('keydown', onEscape);
  }, [hidden, onClose]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') keepInside(event, box.current);
  };

  return createPortal(
    <div className="overlay" hidden={props.hidden}>
      {/* Not showModal(), because menus would be below the browser's top layer. */}
      <dialog
        open
        ref={box}
        aria-modal="true"
        aria-labelledby={titleId}
        className={props.narrow ? 'dialog narrow' : props.wide ? 'dialog wide' : 'dialog'}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        <DialogHead title={props.title} titleId={titleId} onClose={props.onClose} />
        {props.children}
      </dialog>
    </div>,
    document.body,
  );
}

/** Renders the title of a dialog, with its close button. */
export function DialogHead(props: { title: string; titleId?: string; onClose: () => void }): ReactNode {
  return (
    <div className="dialog-head">
      <h2 id={props.titleId}>{props.title}</h2>
      <button type="button" className="icon-button" aria-label="Close" onClick={props.onClose}>
        <X size={20} aria-hidden="true" />
      </button>
    </div>
  );
}

function keepInside(event: KeyboardEvent, box: HTMLElement | null): void {
  const stops = [...(box?.querySelectorAll<HTMLElement>(focusable) ?? [])].filter(
    (element) => element.tabIndex >= 0 && element.offsetParent !== null,
  );
  const edge = event.shiftKey ? stops[0] : stops.at(-1);
  if (document.activeElement !== edge) return;
  event.preventDefault();
  (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
}
