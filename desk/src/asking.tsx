import { type ReactNode, useEffect, useRef } from 'react';
import { Key, KeyButton, Rating } from './controls.tsx';
import { focusOn, useDesk } from './desk.ts';
import type { Asking } from './state.ts';

/**
 * What is asked below the task before ratings are made. Digits choose a saved reason until the text has the focus; several
 * OKs only show their number.
 */
export function AskingPanel({ asking }: { readonly asking: Asking }): ReactNode {
  const { store, deciding } = useDesk();
  const { verdict, tasks, text, reason } = asking;
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another rating is another form
  useEffect(() => {
    // Its keys work at once, and it is read.
    panel.current?.focus({ preventScroll: true });
    return () => focusOn('task');
  }, [verdict]);

  const workers = tasks.map(({ task }) => store.worker(task)).join(', ');
  const who = tasks.length === 1 ? workers : `${tasks.length} selected`;
  const title = verdict === 'REVISE' ? `Request a revision from ${who}` : `${verdict} for ${who}`;
  const send = { OK: `Rate ${tasks.length} OK`, NOK: 'Rate NOK', REVISE: 'Request revision' }[verdict];
  const own = deciding.draftOf(asking)?.text;
  const saved = deciding.reasonsFor(asking).slice(0, 9);
  const isOff = verdict !== 'OK' && text.trim() === '';
  const choice = (number: number, name: string, its: string, isChosen: boolean) => (
    <button
      key={number}
      type="button"
      className="button small"
      aria-pressed={isChosen}
      title={its}
      onClick={() => deciding.choose(number)}
    >
      <Key>{number}</Key> {name}
    </button>
  );
  return (
    <section className={`panel ${verdict.toLowerCase()}`} aria-label={title} ref={panel} tabIndex={-1}>
      <header className="line">
        <Rating verdict={verdict} />
        <h2 className="grow">{title}</h2>
        {verdict !== 'OK' && (
          <p className="quiet line wide">
            <Key>1–9</Key> choose <Key>Tab</Key> edit <Key>Enter</Key> send
          </p>
        )}
      </header>
      {tasks.length > 1 && <p className="workers scroll">{workers}</p>}
      {verdict === 'OK' ? (
        <p>{tasks.length === 1 ? 'The worker is paid.' : 'These workers are paid.'}</p>
      ) : (
        <textarea
          id="reason"
          aria-label={verdict === 'NOK' ? 'Reason for NOK' : 'What to revise'}
          placeholder={`${tasks.length === 1 ? who : 'Each worker'} reads this.`}
          rows={3}
          value={text}
          onChange={({ target }) => deciding.typed(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.repeat || event.nativeEvent.isComposing)
              return;
            event.preventDefault();
            deciding.send();
          }}
        />
      )}
      <div className="line">
        <div className="wrapping line grow">
          {saved.map(({ id, name, text: its }, at) =>
            choice(at + 1, name, its, reason === id && text === its),
          )}
          {own && choice(0, 'Your text', own, text === own)}
        </div>
        <KeyButton of="Esc">Close</KeyButton>
        <KeyButton of="Enter" className={verdict.toLowerCase()} isOff={isOff}>
          {send}
        </KeyButton>
      </div>
    </section>
  );
}
