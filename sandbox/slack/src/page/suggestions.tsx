import type { ReactNode } from 'react';
import type { Completion, Suggestion } from './completion.ts';

/** Renders the list of completions. */
export function Suggestions(props: {
  id: string;
  completion: Completion;
  active: number;
  onChoose(suggestion: Suggestion): void;
}): ReactNode {
  const { id, completion, active } = props;
  return (
    <div role="listbox" tabIndex={-1} id={id} aria-label={completion.label} className="suggestions">
      {completion.suggestions.map((suggestion, index) => (
        <button
          key={suggestion.key}
          id={`${id}-${index}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={index === active ? 'active' : ''}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => props.onChoose(suggestion)}
        >
          <strong>{suggestion.name}</strong>{' '}
          {suggestion.usage && <span className="quiet">{suggestion.usage}</span>}
          <small>{suggestion.note}</small>
        </button>
      ))}
    </div>
  );
}
