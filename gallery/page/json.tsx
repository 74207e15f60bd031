import { type ReactNode, useState } from 'react';
import type { Drawn } from '../entry.ts';

/** Renders the JSON sent to Slack, to read, to copy, and to open in Slack's Block Kit Builder. */
export function EntryJson({ drawn }: { drawn: Drawn }): ReactNode {
  const [open, setOpen] = useState(false);
  const payload = 'type' in drawn ? drawn : { blocks: drawn.blocks };
  return (
    <footer className="entry-foot">
      <a href={builderAddress(payload)} target="_blank" rel="noopener noreferrer">
        Block Kit Builder
      </a>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>JSON</summary>
        {open && <Json text={JSON.stringify(drawn, null, 2)} />}
      </details>
    </footer>
  );
}

function builderAddress(payload: object): string {
  return `https://app.slack.com/block-kit-builder/#${encodeURIComponent(JSON.stringify(payload))}`;
}

function Json({ text }: { text: string }): ReactNode {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <>
      <button type="button" className="button" onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy'}
      </button>
      <pre>{text}</pre>
    </>
  );
}
