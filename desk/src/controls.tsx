import type { ReactNode } from 'react';
import { useDesk } from './desk.ts';
import { runKey } from './keys.ts';
import type { Verdict } from './protocol.ts';

/** A button that does what its key does, which it shows. */
export function KeyButton(props: {
  readonly of: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly isOff?: boolean;
}): ReactNode {
  const desk = useDesk();
  return (
    <button
      type="button"
      className={`button ${props.className ?? ''}`}
      disabled={props.isOff ?? false}
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
  <span className="key" aria-hidden="true">
    {children}
  </span>
);

/** A rating as a small coloured word; not sure: it is on its way. */
export const Rating = ({
  verdict,
  isSure = true,
}: {
  readonly verdict: Verdict;
  readonly isSure?: boolean;
}) => <span className={`rating toned ${verdict.toLowerCase()} ${isSure ? '' : 'unsure'}`}>{verdict}</span>;
