import type { Checkboxes, Option, RadioButtons } from '@slack/types';
import { type ReactNode, useId } from 'react';
import { TextObject } from '../text/text.tsx';
import { type ElementProps, useElement } from './use-element.ts';

/** Renders check boxes or radio buttons. */
export function ChoicesElement(props: ElementProps<Checkboxes | RadioButtons>): ReactNode {
  const { element } = props;
  const handle = useElement(props);
  const name = useId();
  const many = element.type === 'checkboxes';
  const selected = (many ? handle.value : handle.value ? [handle.value] : []) as Option[];
  const isSelected = (option: Option): boolean => selected.some(({ value }) => value === option.value);
  const startsAt = element.options.find(isSelected) ?? element.options[0];
  const toggle = (option: Option): void => {
    if (!many) handle.choose(option);
    else
      handle.choose(element.options.filter((other) => isSelected(other) !== (other.value === option.value)));
  };
  return (
    <fieldset
      className="choices"
      aria-label={props.label}
      aria-busy={handle.busy}
      aria-invalid={props.errorId !== undefined}
      aria-describedby={props.errorId}
    >
      {element.options.map((option) => (
        <label key={option.value}>
          <input
            type={many ? 'checkbox' : 'radio'}
            name={name}
            data-autofocus={(element.focus_on_load && option === startsAt) || undefined}
            checked={isSelected(option)}
            onChange={() => toggle(option)}
          />
          <span className="text">
            <TextObject text={option.text} />
            {option.description && (
              <small>
                <TextObject text={option.description} />
              </small>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
