import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { EphemeralView, MessageView, NoteView } from './message.tsx';
import { formatDate } from './text/date.ts';
import type { TimelineItem } from './timeline.ts';
import { useViewer } from './viewer.ts';

/** Pixels from the end within which the list counts as scrolled to it. */
const nearEndPx = 40;

/** Renders messages in order. A list scrolled to its end stays there; one scrolled up does not move. */
export function MessageList(props: { items: TimelineItem[]; inThread?: boolean; label: string }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const knownHeight = useRef(0);
  const { zone, as } = useViewer();

  useLayoutEffect(() => {
    const scroller = box.current;
    const inner = content.current;
    if (!scroller || !inner) return;
    // Observed rather than done on render: pictures and charts grow later.
    const observer = new ResizeObserver(() => {
      if (atEnd.current) scroller.scrollTop = scroller.scrollHeight;
      knownHeight.current = scroller.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(scroller);
    scroller.scrollTop = scroller.scrollHeight;
    return () => observer.disconnect();
  }, []);

  // One's own messages, and answers to oneself, scroll into view.
  const own = props.items.findLast((item) => isFor(item, as));
  const ownKey = own && `${own.kind}-${own.ts}`;
  const firstOwn = useRef(ownKey);
  useLayoutEffect(() => {
    const scroller = box.current;
    if (!scroller || ownKey === firstOwn.current) return;
    atEnd.current = true;
    scroller.scrollTop = scroller.scrollHeight;
  }, [ownKey]);

  const onScroll = (): void => {
    const scroller = box.current;
    // The content grew: nobody scrolled.
    if (!scroller || scroller.scrollHeight !== knownHeight.current) return;
    atEnd.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearEndPx;
  };

  const days = props.items.map((item) => formatDate('{date_long_pretty}', Number(item.ts), zone));
  return (
    <div className="messages" ref={box} onScroll={onScroll}>
      <section ref={content} aria-label={props.label}>
        {props.items.map((item, index) => (
          <div key={`${item.kind}-${item.ts}`}>
            {!props.inThread && days[index] !== days[index - 1] && (
              <p className="day">
                <span>{days[index]}</span>
              </p>
            )}
            <Item item={item} inThread={props.inThread ?? false} />
          </div>
        ))}
        {props.items.length === 0 && <p className="empty quiet">Nothing here yet.</p>}
      </section>
    </div>
  );
}

function isFor(item: TimelineItem, as: string): boolean {
  return item.kind !== 'message' || item.message.user === as;
}

function Item({ item, inThread }: { item: TimelineItem; inThread: boolean }): ReactNode {
  if (item.kind === 'note') return <NoteView note={item.note} />;
  if (item.kind === 'ephemeral') return <EphemeralView message={item.message} />;
  return <MessageView message={item.message} inThread={inThread} />;
}
