import type { Datepicker, DateTimepicker, Timepicker } from '@slack/types';
import type { ReactNode } from 'react';
import { fromWallTime, wallTime } from '../text/date.ts';
import { useViewer } from '../viewer.ts';
import { type ElementProps, useElement } from './use-element.ts';

const inputType = { datepicker: 'date', timepicker: 'time', datetimepicker: 'datetime-local' } as const;

/** Renders pickers for a date, a time, or both. A datetime's value is in seconds, shown in the viewer's time zone. */
export function PickerElement(props: ElementProps<Datepicker | Timepicker | DateTimepicker>): ReactNode {
  const { type } = props.element;
  const { zone } = useViewer();
  const handle = useElement(props);
  const shown =
    typeof handle.value === 'number'
      ? wallTime(handle.value, zone)
      : typeof handle.value === 'string'
        ? handle.value
        : '';
  const choose = (text: string): void => {
    if (text === '') handle.choose(null);
    else handle.choose(type === 'datetimepicker' ? fromWallTime(text, zone) : text);
  };
  const placeholder =
    shown === '' && 'placeholder' in props.element ? props.element.placeholder?.text : undefined;
  const picker = (
    <input
      type={inputType[type]}
      className="input short"
      aria-label={props.label}
      aria-busy={handle.busy}
      aria-invalid={props.errorId !== undefined}
      aria-describedby={props.errorId}
      value={shown}
      onChange={(event) => choose(event.target.value)}
    />
  );
  if (placeholder === undefined) return picker;
  return (
    <span className="picker">
      <span aria-hidden="true">{placeholder}</span>
      {picker}
    </span>
  );
}
