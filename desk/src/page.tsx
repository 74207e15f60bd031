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
  const { dialog } = useDesk().state;
  return (
    <div className="desk">
      <QueueList />
      <TaskView />
      <Facts />
      <Strip />
      {dialog === 'keys' && <KeysDialog />}
      {dialog === 'assign' && <AssignDialog />}
    </div>
  );
}

/** How the connection is, the latest decisions, and what was said last. */
function Strip(): ReactNode {
  const { state, deciding, visit } = useDesk();
  const { ended, isConnected, notice, decisions } = state;
  const unsent = decisions.filter((one) => one.state === 'sending').length;
  const count = counted(unsent, 'decision');
  const waiting =
    { 0: 'What you do is', 1: `${count} waits here and is` }[unsent] ?? `${count} wait here and are`;
  const problem = ended
    ? `${ended}${unsent > 0 ? ` ${count} not sent.` : ''}`
    : (deciding.state().isFailing || !isConnected) &&
      `Not connected. ${waiting} sent when the connection is back.`;
  return (
    <footer className="line">
      {problem && (
        <p className="badge toned revise" role="alert">
          {problem}
        </p>
      )}
      <ol className="line grow" aria-label="Latest decisions">
        {decisions.slice(0, mostShown).map(({ id, task, verdict, worker, state: its, sentence }) => (
          <li key={id}>
            <button type="button" title={sentence} onClick={() => visit(task)}>
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
