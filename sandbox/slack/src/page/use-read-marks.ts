import { useEffect, useMemo, useRef, useState } from 'react';
import type { Channel } from '../model.ts';
import { latestTs, type Unread, unreadOf } from './timeline.ts';

export interface ReadMarks {
  unreadOf(channel: Channel): Unread;
  /** The time up to which the open channel was read when it was opened; undefined: everything. */
  readonly readTo: number | undefined;
  /** Marks a message of the open channel, and all after it, as unread. */
  markUnread(ts: string): void;
}

/**
 * Stores the time up to which each person has read each channel. Everything from before the page was opened counts as
 * read, and so does everything in the open channel unless it is marked as unread there.
 */
export function useReadMarks(as: string, open: Channel | undefined): ReadMarks {
  const marks = useRef(new Map<string, number>());
  const openedAt = useRef(Date.now() / 1000);
  const place = `${as} ${open?.id}`;
  const [held, setHeld] = useState<{ place: string; readTo: number }>();
  const markOf = (channel: Channel): number => marks.current.get(`${as} ${channel.id}`) ?? openedAt.current;

  // Computed once per visit, so that the line above new messages does not move.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another person or channel starts a new visit
  const visit = useMemo(() => {
    if (open === undefined) return undefined;
    const mark = marks.current.get(place) ?? openedAt.current;
    return unreadOf(open, as, mark).messages > 0 ? mark : undefined;
  }, [place]);
  const heldHere = held?.place === place ? held.readTo : undefined;
  useEffect(() => {
    if (open && heldHere === undefined) marks.current.set(place, latestTs(open, as));
  }, [open, as, place, heldHere]);
  useEffect(() => () => setHeld((now) => (now?.place === place ? undefined : now)), [place]);

  return {
    unreadOf: (channel) => {
      const isRead = channel.id === open?.id && heldHere === undefined;
      return isRead ? { messages: 0, mentions: 0 } : unreadOf(channel, as, markOf(channel));
    },
    readTo: heldHere ?? visit,
    markUnread: (ts) => {
      const readTo = Number(ts) - 1e-6;
      marks.current.set(place, readTo);
      setHeld({ place, readTo });
    },
  };
}
