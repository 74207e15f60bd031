import { type ReactNode, useEffect } from 'react';
import { type Desk, useDesk } from './desk.ts';
import { AssignDialog, KeysDialog } from './dialogs.tsx';
import { Facts } from './facts.tsx';
import { keyOf, runKey } from './keys.ts';
import { QueueList } from './queue-list.tsx';
import { Strip } from './strip.tsx';
import { TaskView } from './task-view.tsx';

/** Does what is pressed, unless a dialog is open, which has its own keys. */
function useKeys({ store, ...desk }: Desk): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: there is one desk
  useEffect(() => {
    window.addEventListener('keydown', (event) => {
      const { panel, scale } = store.get();
      if (event.isComposing || (panel && panel.kind !== 'rate')) return;
      const target = event.target instanceof Element ? event.target : undefined;
      const isOnControl = target?.closest('button, a, summary') != null;
      // A key that is held down would press a button again and again.
      if (isOnControl && event.repeat && /^(?:Enter| )$/.test(event.key)) event.preventDefault();
      const key = keyOf(event, {
        isTyping: target?.matches('textarea, select, input') === true,
        isOnControl,
        isAsking: panel !== undefined,
        isZoomed: scale > 1,
      });
      if (key === undefined) return;
      event.preventDefault();
      runKey({ store, ...desk }, key);
    });
  }, []);
}

/** The desk: the queue, a task, and what is known about it. */
export function Page(): ReactNode {
  const desk = useDesk();
  useKeys(desk);
  const { panel, sheet, notice } = desk.state;
  return (
    <div className="desk" data-sheet={sheet}>
      <QueueList />
      <TaskView />
      <Facts />
      <Strip />
      {panel?.kind === 'keys' && <KeysDialog />}
      {panel?.kind === 'assign' && <AssignDialog />}
      <p className="sr-only" role="status">
        {notice.text}
      </p>
      {sheet && <button type="button" className="scrim" aria-label="Back to the task" onClick={desk.close} />}
    </div>
  );
}
