import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Failure } from './client.ts';
import { desk, Rating, useDesk } from './controls.tsx';
import { AssignDialog, KeysDialog } from './dialogs.tsx';
import { Facts } from './facts.tsx';
import { listen } from './keys.ts';
import { QueueList } from './queue-list.tsx';
import { TaskView } from './task-view.tsx';
import { counted } from './words.ts';

/** The desk: the queue, a task, and what is known about it. */
function Page(): ReactNode {
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
        {decisions.slice(0, 30).map(({ id, task, verdict, worker, state: its, sentence }) => (
          <li key={id}>
            <button type="button" title={sentence} onClick={() => visit(task)}>
              <Rating verdict={verdict} /> {worker}
              {its === 'missed' && <span className="toned nok">{sentence}</span>}
              {/^(?:send|un)/.test(its) && <span className="quiet">{its}</span>}
            </button>
          </li>
        ))}
      </ol>
      <p role="status">{notice}</p>
    </footer>
  );
}

/** The ticket of the link by which somebody comes, which leaves the address at once. */
const ticket = location.hash.slice(1);
if (ticket !== '') history.replaceState(null, '', location.pathname);
// A link that is opened where the desk is open already.
window.addEventListener('hashchange', () => location.reload());

const root = createRoot(document.getElementById('root') as HTMLElement);
root.render(<main className="empty">Opening…</main>);
desk.enter(ticket).then(
  () => {
    listen(desk);
    root.render(<Page />);
  },
  (error: unknown) =>
    root.render(
      <main className="empty">
        <h1>Desk</h1>
        <p role="alert">
          {(error instanceof Failure && error.message) || 'Proofdesk can’t be reached right now.'}
        </p>
        <p className="quiet">
          Press <strong>Open the desk</strong> in Slack: in <code>/review</code>, in Proofdesk’s Home, or
          below a count of waiting tasks. Each link works once.
        </p>
        <button type="button" onClick={() => location.reload()}>
          Try again
        </button>
      </main>,
    ),
);
