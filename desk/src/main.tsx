import { type ReactNode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Refused } from './client.ts';
import { createDesk, DeskContext } from './desk.ts';
import { Page } from './page.tsx';

/** The ticket of the link by which somebody comes, which leaves the address at once. */
const ticket = location.hash.slice(1);
if (ticket !== '') history.replaceState(null, '', location.pathname);
// A link that is opened where the desk is open already.
window.addEventListener('hashchange', () => location.reload());

const desk = createDesk();
const entering = desk.enter(ticket);

function Entrance(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    entering.then(
      () => setOpen(true),
      (error: unknown) =>
        setProblem(error instanceof Refused ? error.message : 'Proofdesk can’t be reached right now.'),
    );
  }, []);

  if (isOpen) return <Page />;
  return (
    <main className="door">
      <h1>Desk</h1>
      <p role="alert">{problem ?? 'Opening…'}</p>
      {problem && (
        <>
          <p className="quiet">
            Press <strong>Open the desk</strong> in Slack: in <code>/review</code>, in Proofdesk’s Home, or
            below a count of waiting tasks. Each link works once.
          </p>
          <button type="button" className="button" onClick={() => location.reload()}>
            Try again
          </button>
        </>
      )}
    </main>
  );
}

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');
createRoot(root).render(
  <DeskContext value={desk}>
    <Entrance />
  </DeskContext>,
);
