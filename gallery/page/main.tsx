import { PreviewProvider } from '@proofdesk/slack-sandbox/renderer';
import { type ReactNode, StrictMode, use } from 'react';
import { createRoot } from 'react-dom/client';
import type { DrawnEntry } from '../drawn.ts';
import { Gallery } from './gallery.tsx';
import { workspace } from './workspace.ts';

/** Reads the entries, rendered by the server from the current code, or a text that says why they cannot be rendered. */
async function readEntries(): Promise<readonly DrawnEntry[] | string> {
  const response = await fetch('/entries.json');
  return response.ok ? ((await response.json()) as DrawnEntry[]) : response.text();
}

const reading = readEntries();

function Page(): ReactNode {
  const entries = use(reading);
  if (typeof entries === 'string') return <pre role="alert">{entries}</pre>;
  return (
    <PreviewProvider workspace={workspace}>
      <Gallery entries={entries} />
    </PreviewProvider>
  );
}

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');
createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
