import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { Option } from '../../model.ts';
import { plainText } from '../text/text.tsx';
import { Popover } from './popover.tsx';

export interface OptionGroup {
  label?: string | undefined;
  options: Option[];
}

export interface ComboboxProps {
  label: string;
  placeholder: string;
  selected: Option[];
  multiple: boolean;
  /** The maximum number of choices. */
  max?: number | undefined;
  /** Whether the choice can be cleared. */
  clearable: boolean;
  busy: boolean;
  errorId?: string | undefined;
  /** The options for the text typed so far; undefined while they are loading. */
  groups: OptionGroup[] | undefined;
  /** Shown if there are no options. */
  emptyNote: string;
  /** Called with the typed text, or with undefined when the list closes. */
  onQuery(query: string | undefined): void;
  onChange(selected: Option[]): void;
}

/** Renders every kind of select: type to filter, arrows and Enter or a click to choose. */
export function Combobox(props: ComboboxProps): ReactNode {
  const listId = useId();
  const box = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState<string>();
  const [active, setActive] = useState(0);
  const open = query !== undefined;
  const options = props.groups?.flatMap((group) => group.options) ?? [];
  const isSelected = (option: Option): boolean => props.selected.some(({ value }) => value === option.value);

  const show = (next: string | undefined): void => {
    setQuery(next);
    setActive(0);
    props.onQuery(next);
  };
  const choose = (option: Option): void => {
    if (!props.multiple) {
      props.onChange([option]);
      show(undefined);
      return;
    }
    const rest = props.selected.filter(({ value }) => value !== option.value);
    if (rest.length < props.selected.length) props.onChange(rest);
    else if (rest.length < (props.max ?? Number.POSITIVE_INFINITY)) props.onChange([...rest, option]);
    if (query !== '') show('');
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      if (!open) show('');
      else if (options.length > 0) setActive((active + step + options.length) % options.length);
    } else if (event.key === 'Enter' && open) {
      event.preventDefault();
      const option = options[active];
      if (option) choose(option);
    } else if (event.key === 'Escape' && open) {
      event.stopPropagation();
      show(undefined);
    } else if (event.key === 'Backspace' && props.multiple && !query) {
      props.onChange(props.selected.slice(0, -1));
    }
  };

  const chosen = props.multiple ? undefined : props.selected[0];
  return (
    <div className="combobox" ref={box} aria-busy={props.busy}>
      {props.multiple &&
        props.selected.map((option) => (
          <span key={option.value} className="chip">
            {plainText(option.text.text)}
            <button
              type="button"
              aria-label={`Remove ${option.text.text}`}
              onClick={() => props.onChange(props.selected.filter(({ value }) => value !== option.value))}
            >
              ×
            </button>
          </span>
        ))}
      <input
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-label={props.label}
        aria-expanded={open}
        aria-controls={listId}
        aria-activedescendant={open && options[active] ? `${listId}-${active}` : undefined}
        aria-invalid={props.errorId !== undefined}
        aria-describedby={props.errorId}
        placeholder={props.multiple && props.selected.length > 0 ? '' : props.placeholder}
        value={query ?? (chosen ? plainText(chosen.text.text) : '')}
        onChange={(event) => show(event.target.value)}
        onClick={() => open || show('')}
        onBlur={() => show(undefined)}
        onKeyDown={onKeyDown}
      />
      {props.clearable && chosen && !open ? (
        <button
          type="button"
          className="icon-button"
          aria-label={`Clear ${props.label}`}
          onClick={() => props.onChange([])}
        >
          ×
        </button>
      ) : (
        <span className="caret" aria-hidden="true">
          ▾
        </span>
      )}
      {open && (
        <Popover anchor={box} wide onDismiss={() => show(undefined)}>
          <OptionList
            id={listId}
            label={props.label}
            groups={props.groups}
            emptyNote={props.emptyNote}
            active={options[active]}
            isSelected={isSelected}
            onChoose={choose}
          />
        </Popover>
      )}
    </div>
  );
}

function OptionList(props: {
  id: string;
  label: string;
  groups: OptionGroup[] | undefined;
  emptyNote: string;
  active: Option | undefined;
  isSelected(option: Option): boolean;
  onChoose(option: Option): void;
}): ReactNode {
  let index = -1;
  const found = props.groups?.some((group) => group.options.length > 0) ?? false;
  return (
    <div role="listbox" id={props.id} tabIndex={-1} aria-label={props.label} className="options">
      {!found && <p className="quiet">{props.groups ? props.emptyNote : 'Loading…'}</p>}
      {props.groups?.map((group) => (
        <div key={group.label ?? ''}>
          {group.label && <p className="group-label">{group.label}</p>}
          {group.options.map((option) => {
            index += 1;
            return (
              <button
                key={option.value}
                id={`${props.id}-${index}`}
                type="button"
                role="option"
                tabIndex={-1}
                aria-selected={props.isSelected(option)}
                className={option === props.active ? 'active' : ''}
                ref={option === props.active ? scrollIntoView : null}
                // The input must keep the focus, because blur closes the list.
                onPointerDown={(event) => event.preventDefault()}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => props.onChoose(option)}
              >
                {plainText(option.text.text)}
                {option.description && <small>{plainText(option.description.text)}</small>}
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
