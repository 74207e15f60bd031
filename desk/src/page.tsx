import { type ReactNode, useEffect } from 'react';
import { isField, run } from './commands.ts';
import { type Desk, useDesk } from './desk.ts';
import { AssignDialog, KeysDialog } from './dialogs.tsx';
import { Facts } from './facts.tsx';
import { commandOf } from './keys.ts';
import { QueueList } from './queue-list.tsx';
import { Strip } from './strip.tsx';
import { TaskView } from './task-view.tsx';

function useKeys(desk: Desk): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { panel, view } = desk.store.get();
      if (panel?.kind === 'keys' || panel?.kind === 'assign') return;
      const target = event.target instanceof Element ? event.target : null;
      const command = commandOf(event, {
        isTyping: isField(target),
        isOnControl: target?.closest('button, a, summary') != null,
        isAsking: panel !== undefined,
        isZoomed: view.scale > 1,
      });
      if (command === undefined) return;
      event.preventDefault();
      run(desk, command);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [desk]);
}

/** The desk: the queue, a task, and what is known about it. */
export function Page(): ReactNode {
  const desk = useDesk();
  const { state, store } = desk;
  useKeys(desk);
  const { panel, sheet } = state;
  return (
    <div className="desk" data-sheet={sheet}>
      <QueueList />
      <TaskView />
      <Facts />
      <Strip />
      {panel?.kind === 'keys' && <KeysDialog />}
      {panel?.kind === 'assign' && <AssignDialog />}
      <p className="sr-only" role="status">
        {state.notice.text}
      </p>
      {sheet && (
        <button
          type="button"
          className="scrim"
          aria-label="Back to the task"
          onClick={() => store.set({ sheet: undefined })}
        />
      )}
    </div>
  );
}
