import type { ReactNode } from 'react';
import { type Settings, themes, widths } from './settings.ts';

/** Renders the search, theme and width controls. */
export function Toolbar(props: {
  settings: Settings;
  count: string;
  onChange: (change: Partial<Settings>) => void;
}): ReactNode {
  const { settings, count, onChange } = props;
  return (
    <header className="toolbar">
      <h1>Gallery</h1>
      <input
        type="search"
        className="input short"
        aria-label="Search"
        placeholder="Search titles and texts"
        value={settings.query}
        onChange={(event) => onChange({ query: event.target.value })}
      />
      <span role="status" className="quiet">
        {count}
      </span>
      <Choice name="Theme" values={themes} value={settings.theme} onChange={(theme) => onChange({ theme })} />
      <Choice name="Width" values={widths} value={settings.width} onChange={(width) => onChange({ width })} />
    </header>
  );
}

function Choice<Value extends string>(props: {
  name: string;
  values: readonly Value[];
  value: Value;
  onChange: (value: Value) => void;
}): ReactNode {
  return (
    <fieldset className="choice">
      <legend>{props.name}</legend>
      {props.values.map((value) => (
        <button
          key={value}
          type="button"
          className="button"
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {value}
        </button>
      ))}
    </fieldset>
  );
}
