import { type ReactNode, useEffect, useRef, useState } from 'react';
import { plainText } from './text/text.tsx';
import type { TimelineItem } from './timeline.ts';
import { useViewer } from './viewer.ts';

/** Announces others' messages to screen readers while the list is open. */
export function Announcer({ items }: { items: TimelineItem[] }): ReactNode {
  const viewer = useViewer();
  const last = items.at(-1);
  const known = useRef(last?.ts);
  const [news, setNews] = useState('');
  useEffect(() => {
    if (last === undefined || Number(last.ts) <= Number(known.current ?? 0)) return;
    known.current = last.ts;
    if (last.kind === 'note') return;
    const { message } = last;
    if (last.kind === 'ephemeral') setNews(`Only visible to you: ${plainText(message.text)}`);
    else if (message.user !== viewer.as)
      setNews(`${viewer.userName(message.user)}: ${plainText(message.text)}`);
  }, [last, viewer]);
  return (
    <p role="log" className="sr-only" aria-label="New messages">
      {news}
    </p>
  );
}
