import { type ReactNode, StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { loadLibrary } from './library-block.tsx';
import { peopleInAddress, Split } from './split.tsx';
import { applyChosenTheme } from './theme.ts';
import { useWorkspace } from './use-workspace.ts';
import { Workspace } from './workspace.tsx';

function Page(): ReactNode {
  const { state, connected } = useWorkspace();
  const isDrawn = state !== undefined;
  useEffect(() => {
    // Preloads the library when the browser is idle; a block that needs it earlier loads it itself.
    if (isDrawn) window.requestIdleCallback(() => void loadLibrary().catch(() => {}));
  }, [isDrawn]);
  if (!state) return <p className="empty quiet">Opening the workspace…</p>;
  const people = peopleInAddress(state.users);
  return people.length > 1 ? <Split people={people} /> : <Workspace state={state} connected={connected} />;
}

applyChosenTheme();
// Applies a theme chosen in another window, or in another person's half of the page.
window.addEventListener('storage', applyChosenTheme);
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');
createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
