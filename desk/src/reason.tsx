import { type ReactNode, useEffect, useRef } from 'react';
import { focusOn } from './commands.ts';
import { CommandButton, Key, Rating } from './controls.tsx';
import { useDesk } from './desk.ts';
import type { ReasonForm } from './state.ts';
import { counted } from './words.ts';

/**
 * The reason of a NOK or REVISE, below the task. Digits choose a saved reason until the text has the focus; the reason that
 * was used last is filled in.
 */
export function Reason({ form }: { readonly form: ReasonForm }): ReactNode {
  const { store, deciding } = useDesk();
  const { verdict, tasks, text, reason, own } = form;
  const panel = usePanel(verdict);
  const who = tasks.length === 1 ? store.worker(tasks[0] ?? '') : counted(tasks.length, 'selected task');
  const title = verdict === 'NOK' ? `NOK for ${who}` : `Request a revision from ${who}`;
  const saved = deciding.savedReasons(form);
  const hasOwn = own !== undefined && !saved.some((one) => one.text === own);
  return (
    <section className={`panel ${verdict.toLowerCase()}`} aria-label={title} ref={panel} tabIndex={-1}>
      <header className="line choices">
        <Rating verdict={verdict} />
        <h2 className="grow">{title}</h2>
        <p className="quiet line wide">
          <Key>1–9</Key> choose <Key>Tab</Key> edit <Key>Enter</Key> send
        </p>
      </header>
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
      <div className="choices line">
        {saved.slice(0, 9).map(({ id, name, text: itsText }, at) => (
          <button
            key={id}
            type="button"
            className="button small"
            aria-pressed={reason === id && text === itsText}
            title={itsText}
            onClick={() => deciding.choose(at + 1)}
          >
            <Key>{at + 1}</Key> {name}
          </button>
        ))}
        {hasOwn && (
          <button
            type="button"
            className="button small"
            aria-pressed={text === own}
            onClick={() => deciding.choose(0)}
          >
            <Key>0</Key> Your text
          </button>
        )}
        <span className="grow" />
        <CommandButton command="close" hint="Esc">
          Close
        </CommandButton>
        <CommandButton
          command="send"
          hint="Enter"
          className={verdict.toLowerCase()}
          isDisabled={text.trim() === ''}
        >
          {verdict === 'NOK' ? 'Rate NOK' : 'Request revision'}
        </CommandButton>
      </div>
    </section>
  );
}

/** The number of tasks that one OK is about, before it is made: they are paid. */
export function Confirm({ tasks }: { readonly tasks: readonly string[] }): ReactNode {
  const { store } = useDesk();
  const panel = usePanel('confirm');
  const title = `OK for ${tasks.length} selected`;
  const workers = tasks.map(store.worker);
  const shown =
    workers.slice(0, 12).join(', ') + (workers.length > 12 ? ` and ${workers.length - 12} more` : '');
  return (
    <section className="panel ok" aria-label={title} ref={panel} tabIndex={-1}>
      <header className="line choices">
        <Rating verdict="OK" />
        <h2 className="grow">{title}</h2>
      </header>
      <p>{shown}</p>
      <div className="choices line">
        <span className="quiet">These workers are paid.</span>
        <span className="grow" />
        <CommandButton command="close" hint="Esc">
          Close
        </CommandButton>
        <CommandButton command="send" hint="Enter" className="ok">
          Rate {tasks.length} OK
        </CommandButton>
      </div>
    </section>
  );
}

/** Gives a panel the focus while it is open, so that its keys work and it is read; then the task. */
function usePanel(about: string) {
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another verdict is another form
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    return () => focusOn('task');
  }, [about]);
  return panel;
}
