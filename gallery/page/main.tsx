import { type ReactNode, StrictMode, use } from 'react';
import { createRoot } from 'react-dom/client';
import { PreviewProvider } from '../../src/sandbox/slack/renderer.ts';
import type { DrawnEntry } from '../drawn.ts';
import { Gallery } from './gallery.tsx';
import { workspace } from './workspace.ts';

/** The entries, drawn by the server from today's code; a text says why they cannot be drawn. */
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
