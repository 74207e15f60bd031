import { type ReactNode, useEffect } from 'react';
import { Key, KeyButton, Rating, useDesk } from './controls.tsx';
import { focusOn } from './desk.ts';
import type { Asking } from './state.ts';

/**
 * What is asked below the task before ratings are made. Digits choose a saved reason until the text has the focus; several
 * OKs only show whose they are.
 */
export function AskingPanel({ asking }: { readonly asking: Asking }): ReactNode {
  const { store, deciding } = useDesk();
  const { verdict, tasks, text, reason } = asking;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another rating is another form
  useEffect(() => {
    // Its keys work at once, and it is read.
    focusOn('asking');
    return () => focusOn('task');
  }, [verdict]);

  const tone = verdict.toLowerCase();
  const isOk = verdict === 'OK';
  const workers = tasks.map(({ task }) => store.worker(task)).join(', ');
  const who = tasks.length === 1 ? workers : `${tasks.length} selected`;
  const title = verdict === 'REVISE' ? `Request a revision from ${who}` : `${verdict} for ${who}`;
  const send = { OK: `Rate ${tasks.length} OK`, NOK: 'Rate NOK', REVISE: 'Request revision' }[verdict];
  return (
    <section className={`panel stack scroll ${tone}`} aria-label={title} id="asking" tabIndex={-1}>
      <header className="line">
        <Rating verdict={verdict} />
        <h2 className="grow">{title}</h2>
        {!isOk && (
          <p className="quiet line wide">
            <Key>1–9</Key> choose <Key>Tab</Key> edit <Key>Enter</Key> send
          </p>
        )}
      </header>
      {tasks.length > 1 && <p>{workers}</p>}
      {isOk ? (
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
            const { key, shiftKey, repeat, nativeEvent } = event;
            if (key !== 'Enter' || shiftKey || repeat || nativeEvent.isComposing) return;
            event.preventDefault();
            deciding.send();
          }}
        />
      )}
      <div className="line">
        <div className="line grow">
          {deciding.textsFor(asking).map(
            (choice, number) =>
              choice && (
                <button
                  key={choice.id ?? 'own'}
                  type="button"
                  aria-pressed={reason === choice.id && text === choice.text}
                  title={choice.text}
                  onClick={() => deciding.choose(number)}
                >
                  <Key>{number}</Key> {choice.name}
                </button>
              ),
          )}
        </div>
        <KeyButton of="Esc">Close</KeyButton>
        <KeyButton of="Enter" className={tone} isOff={!isOk && text.trim() === ''}>
          {send}
        </KeyButton>
      </div>
    </section>
  );
}
