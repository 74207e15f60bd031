import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import type { SlashCommand } from '../model.ts';
import { type Completion, completionAt, type Suggestion } from './completion.ts';
import { useViewer } from './viewer.ts';

export interface Completing {
  readonly completion: Completion | undefined;
  /** The suggestion that Enter and Tab take. */
  readonly active: number;
  readonly listId: string;
  onTyped(field: HTMLTextAreaElement): void;
  /** Moves in, accepts or closes the suggestions. Returns false for other keys. */
  onKeyDown(event: KeyboardEvent): boolean;
  choose(suggestion: Suggestion): void;
  close(): void;
  /** Returns all suggestions accepted for this text; `forget` clears them once it is sent. */
  chosen(): readonly Suggestion[];
  forget(): void;
}

/** Completes the text in a field, by keyboard or mouse. */
export function useCompletion(
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  setText: (text: string) => void,
  commands: SlashCommand[],
): Completing {
  const viewer = useViewer();
  const listId = useId();
  const [caret, setCaret] = useState<number>();
  const [active, setActive] = useState(0);
  const chosen = useRef<Suggestion[]>([]);
  const moveTo = useRef<number>(undefined);
  const completion =
    caret === undefined || text === '' ? undefined : completionAt(text.slice(0, caret), viewer, commands);

  // Moves the cursor behind the inserted text, because React has put it at the end.
  useLayoutEffect(() => {
    if (moveTo.current === undefined || text === '') return;
    field.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = undefined;
  }, [field, text]);

  const close = (): void => setCaret(undefined);
  const choose = (suggestion: Suggestion): void => {
    if (completion === undefined || caret === undefined) return;
    const before = `${text.slice(0, completion.from)}${suggestion.text} `;
    moveTo.current = before.length;
    chosen.current.push(suggestion);
    setText(before + text.slice(caret).replace(/^ /, ''));
    close();
  };
  const takes = (event: KeyboardEvent): boolean => {
    const suggestion = completion?.suggestions[active];
    if (completion === undefined || suggestion === undefined || event.nativeEvent.isComposing) return false;
    const count = completion.suggestions.length;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setActive((active + step + count) % count);
    else if (event.key === 'Escape') close();
    else if ((event.key === 'Tab' || event.key === 'Enter') && !event.shiftKey) {
      // A completely typed command is sent instead.
      const typed = text.slice(completion.from, caret);
      if (completion.label === 'Commands' && suggestion.text === typed) return false;
      choose(suggestion);
    } else return false;
    return true;
  };
  return {
    completion,
    active,
    listId,
    onTyped: (typedInto) => {
      setCaret(typedInto.selectionStart);
      setActive(0);
    },
    onKeyDown: (event) => {
      const isTaken = takes(event);
      if (isTaken) {
        event.preventDefault();
        event.stopPropagation();
      }
      return isTaken;
    },
    choose,
    close,
    chosen: () => chosen.current,
    forget: () => {
      chosen.current = [];
      close();
    },
  };
}
