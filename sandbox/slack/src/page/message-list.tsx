import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  type ReactNode,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Announcer } from './announcer.tsx';
import { EphemeralView, MessageView, NoteView } from './message.tsx';
import { onMessageKey } from './message-keys.ts';
import { ScrollArea } from './scroll-area.tsx';
import { dayNames } from './text/date.ts';
import { type Row, rowsOf, type TimelineItem } from './timeline.ts';
import { useViewer } from './viewer.ts';

const none: TimelineItem[] = [];

/** Within this many pixels of its end, the list counts as scrolled to the end. */
const nearEndPx = 40;

/** Lists up to this length are rendered completely, so that the browser's search finds everything in them. */
const drawnWhole = 60;

/** How many rows longer lists render above and below the visible ones: in the first render, and after it. */
const overscan = { first: 1, later: 6 } as const;

/** How long after opening a list renders the rows around the visible ones. */
const settleMs = 120;

/** How long the target of a jump is marked. */
const markedMs = 2_500;

/**
 * Renders messages in order; long lists are virtualized. A list scrolled to its end stays there, and one scrolled up does
 * not move.
 */
export function MessageList(props: {
  items: TimelineItem[];
  inThread?: boolean;
  label: string;
  /** The time up to which the person has read; undefined: everything. */
  readTo?: number | undefined;
  /** A message to scroll to. */
  target?: string | undefined;
}): ReactNode {
  const { items, inThread = false, readTo, target } = props;
  const box = useRef<HTMLDivElement>(null);
  const { zone, as } = useViewer();
  const before = useRef(items);
  const threadNames = useThreadNames(inThread ? items : none);
  const rows = rowsOf(items, inThread ? threadNames : dayNames(zone), readTo, before.current);
  before.current = items;
  const [focused, setFocused] = useState<string>();
  const focusedIndex = focused === undefined ? -1 : rows.findIndex(({ item }) => item.key === focused);
  const isWhole = rows.length <= drawnWhole;

  // The focused message stays rendered even out of view; otherwise the focus would be lost.
  const rangeExtractor = useCallback(
    (range: Range) => {
      const drawn = defaultRangeExtractor(range);
      if (focusedIndex < 0 || focusedIndex >= range.count || drawn.includes(focusedIndex)) return drawn;
      return [...drawn, focusedIndex].sort((a, b) => a - b);
    },
    [focusedIndex],
  );
  // Memoized: a new function would cause every row to be measured again.
  const estimateSize = useCallback((index: number) => estimate(rows[index]), [rows]);
  const getItemKey = useCallback((index: number) => rows[index]?.item.key ?? '', [rows]);
  const isSettled = useSettled();
  // A list opens at its end, without rendering its beginning first.
  const [initialOffset] = useState(() =>
    target === undefined ? rows.reduce((height, row) => height + estimate(row), 0) : 0,
  );
  const virtualizer = useVirtualizer({
    count: rows.length,
    initialOffset,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    getScrollElement: () => box.current,
    estimateSize,
    getItemKey,
    overscan: isWhole ? drawnWhole : isSettled ? overscan.later : overscan.first,
    rangeExtractor,
    paddingStart: 8,
    paddingEnd: 12,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: nearEndPx,
    // Scrolling moves rendered rows without rendering them again.
    directDomUpdates: true,
  });

  useLayoutEffect(() => {
    if (target === undefined) virtualizer.scrollToEnd();
  }, [virtualizer, target]);

  // The person's own messages, and answers to them, scroll into view.
  const ownKey = useMemo(
    () => items.findLast((item) => item.kind !== 'message' || item.message.user === as)?.key,
    [items, as],
  );
  const firstOwn = useRef(ownKey);
  useLayoutEffect(() => {
    if (ownKey === firstOwn.current) return;
    firstOwn.current = ownKey;
    virtualizer.scrollToEnd();
  }, [ownKey, virtualizer]);

  const marked = useTarget(target, (ts) => {
    const index = rows.findIndex(({ item }) => item.ts === ts);
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'center' });
  });

  const isAway = rows.length > 0 && virtualizer.scrollRect !== null && !virtualizer.isAtEnd(400);
  return (
    <>
      <ScrollArea
        ref={box}
        label={inThread ? 'Thread' : 'Channel'}
        onKeyDown={(event) => onMessageKey(event, (index) => virtualizer.scrollToIndex(index))}
        onFocus={(event) => setFocused(event.target.closest<HTMLElement>('[data-key]')?.dataset.key)}
        onBlur={() => setFocused(undefined)}
      >
        <section aria-label={props.label} ref={virtualizer.containerRef}>
          {virtualizer.getVirtualItems().map(({ index, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                data-key={key}
                className="row"
              >
                <RowView row={row} inThread={inThread} isMarked={marked === row.item.ts} />
              </div>
            );
          })}
          {rows.length === 0 && <p className="empty quiet">Nothing here yet.</p>}
        </section>
        {isAway && (
          <button type="button" className="to-end" onClick={() => virtualizer.scrollToEnd()}>
            ↓ Latest messages
          </button>
        )}
      </ScrollArea>
      <Announcer items={items} />
    </>
  );
}

/** Returns a function for a thread's divider (a day's name in channels): the number of replies below the first message. */
function useThreadNames(items: TimelineItem[]): (ts: string) => string {
  const parent = items[0]?.ts;
  const replies = items.filter(({ kind }) => kind === 'message').length - 1;
  return useCallback(
    (ts) => (ts === parent || replies < 1 ? '' : `${replies} ${replies === 1 ? 'reply' : 'replies'}`),
    [parent, replies],
  );
}

/** Returns whether the list has been painted once. */
function useSettled(): boolean {
  const [isSettled, setIsSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setIsSettled(true)), settleMs);
    return () => clearTimeout(timer);
  }, []);
  return isSettled;
}

/** Jumps to a message once it is loaded. Returns it while it is marked. */
function useTarget(target: string | undefined, jump: (ts: string) => void): string | undefined {
  const [marked, setMarked] = useState<string>();
  const jumpNow = useRef(jump);
  jumpNow.current = jump;
  useLayoutEffect(() => {
    if (target === undefined) return;
    // Repeated once the rows on the way are measured.
    jumpNow.current(target);
    const frame = requestAnimationFrame(() => jumpNow.current(target));
    setMarked(target);
    const timer = setTimeout(() => setMarked(undefined), markedMs);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [target]);
  return marked;
}

/** Estimates the height of a row that is not rendered yet. */
function estimate(row: Row | undefined): number {
  if (row === undefined) return 0;
  return (row.isFollowUp ? 32 : 54) + row.item.blocks * 44 + (row.day === undefined ? 0 : 40);
}

function RowView(props: { row: Row; inThread: boolean; isMarked: boolean }): ReactNode {
  const { day, isFirstNew, item, isFollowUp } = props.row;
  return (
    <>
      {day && (
        <p className={`day${isFirstNew ? ' has-new' : ''}${props.inThread ? ' replies' : ''}`}>
          <span>{day}</span>
          {isFirstNew && <span className="new-mark">New</span>}
        </p>
      )}
      {isFirstNew && !day && (
        <p className="new-line">
          <span className="new-mark">New</span>
        </p>
      )}
      <ItemView item={item} inThread={props.inThread} isFollowUp={isFollowUp} isMarked={props.isMarked} />
    </>
  );
}

function ItemView(props: {
  item: TimelineItem;
  inThread: boolean;
  isFollowUp: boolean;
  isMarked: boolean;
}): ReactNode {
  const { item, ...rest } = props;
  if (item.kind === 'note') return <NoteView note={item.note} />;
  if (item.kind === 'ephemeral') return <EphemeralView message={item.message} />;
  return <MessageView message={item.message} {...rest} />;
}
