import { createRoot } from 'react-dom/client';
import { Failure } from './client.ts';
import { desk } from './controls.tsx';
import { listen } from './keys.ts';
import { Page } from './page.tsx';

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
