import type { Button, Overflow, PlainTextOption } from '@slack/types';
import { Ellipsis } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { plainText } from '../text/text.tsx';
import { openLink } from '../use-address.ts';
import { Menu } from './menu.tsx';
import { type ElementProps, useElement } from './use-element.ts';

export function ButtonElement(props: ElementProps<Button>): ReactNode {
  const { element } = props;
  const handle = useElement(props);
  const click = (): void => {
    if (handle.busy) return;
    if (element.url) openLink(element.url);
    handle.send(element.value === undefined ? {} : { value: element.value });
  };
  return (
    <button
      type="button"
      className={`button ${element.style ?? ''}`}
      aria-label={element.accessibility_label}
      aria-busy={handle.busy}
      onClick={click}
    >
      {plainText(element.text.text, element.text.emoji)}
    </button>
  );
}

export function OverflowElement(props: ElementProps<Overflow>): ReactNode {
  const handle = useElement(props);
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const choose = (option: PlainTextOption): void => {
    if (option.url) openLink(option.url);
    handle.send({ selected_option: option });
  };
  return (
    <>
      <button
        type="button"
        ref={anchor}
        className="button overflow"
        aria-label={props.label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-busy={handle.busy}
        onClick={() => setOpen(!open)}
      >
        <Ellipsis size={18} aria-hidden="true" />
      </button>
      {open && (
        <Menu
          anchor={anchor}
          label={props.label}
          entries={props.element.options.map((option) => ({
            name: plainText(option.text.text),
            note: option.description && plainText(option.description.text),
            onChoose: () => choose(option),
          }))}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
