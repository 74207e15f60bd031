import type { ReactNode } from 'react';
import { Rating, useDesk } from './controls.tsx';
import { AssignDialog, KeysDialog } from './dialogs.tsx';
import { Facts } from './facts.tsx';
import { QueueList } from './queue-list.tsx';
import { TaskView } from './task-view.tsx';
import { counted } from './words.ts';

const mostShown = 30;

/** The desk: the queue, a task, and what is known about it. */
export function Page(): ReactNode {
  const { panel } = useDesk().state;
  return (
    <div className="desk">
      <QueueList />
      <TaskView />
      <Facts />
      <Strip />
      {panel?.kind === 'keys' && <KeysDialog />}
      {panel?.kind === 'assign' && <AssignDialog />}
    </div>
  );
}

/** How the connection is, the latest decisions, and what was said last. */
function Strip(): ReactNode {
  const { state, deciding, visit } = useDesk();
  const { ended, isConnected, notice, decisions } = state;
  const unsent = deciding.unsent();
  const count = counted(unsent.decisions, 'decision');
  const waits = unsent.decisions === 1 ? 'waits here and is' : 'wait here and are';
  const what = unsent.decisions > 0 ? `${count} ${waits}` : 'What you do is';
  return (
    <footer className="strip line">
      {(ended || unsent.isFailing || !isConnected) && (
        <p className="badge toned revise" role="alert">
          {ended ?? `Not connected. ${what} sent when the connection is back.`}
          {ended && unsent.decisions > 0 && ` ${count} not sent.`}
        </p>
      )}
      <ol className="line grow" aria-label="Latest decisions">
        {decisions.slice(0, mostShown).map(({ id, task, verdict, worker, state: its, sentence }) => (
          <li key={id}>
            <button type="button" className="small" title={sentence} onClick={() => visit(task)}>
              <Rating verdict={verdict} /> {worker}
              {its === 'missed' && <span className="toned nok">{sentence}</span>}
              {/^(?:send|un)/.test(its) && <span className="quiet">{its}</span>}
            </button>
          </li>
        ))}
      </ol>
      <p role="status" title={notice}>
        {notice}
      </p>
    </footer>
  );
}
