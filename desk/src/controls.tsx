import { type ReactNode, useSyncExternalStore } from 'react';
import { createDesk, type Desk } from './desk.ts';
import { runKey } from './keys.ts';
import type { Verdict } from './protocol.ts';
import type { DeskState } from './state.ts';

export const desk = createDesk();

/** Returns the desk and its state, and draws again when it changes. */
export const useDesk = (): Desk & { readonly state: DeskState } => ({
  ...desk,
  state: useSyncExternalStore(desk.store.subscribe, desk.store.get),
});

/** A button that does what its key does, which it shows. */
export function KeyButton(props: {
  readonly of: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly isOff?: boolean;
}): ReactNode {
  return (
    <button
      type="button"
      className={props.className}
      disabled={props.isOff}
      onClick={(event) => {
        // Otherwise Space, pressed for the next picture, would press it once more.
        if (event.detail > 0) event.currentTarget.blur();
        runKey(desk, props.of);
      }}
    >
      {props.children} <Key>{props.of}</Key>
    </button>
  );
}

/** A key, beside what it does; a screen reader finds it in the list of keys. */
export const Key = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <span className="key badge" aria-hidden="true">
    {children}
  </span>
);

/** A rating as a small coloured word. */
export const Rating = ({ verdict }: { readonly verdict: Verdict }): ReactNode => (
  <span className={`badge toned ${verdict.toLowerCase()}`}>{verdict}</span>
);
