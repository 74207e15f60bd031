import { useEffect, useRef } from 'react';
import type { Channel } from '../model.ts';
import { latestTs } from './timeline.ts';

/**
 * Returns whether a channel has something the person has not seen. Everything from before the page was opened counts
 * as seen, and so does everything in the open channel.
 */
export function useReadMarks(as: string, open: Channel | undefined): (channel: Channel) => boolean {
  const marks = useRef(new Map<string, number>());
  const openedAt = useRef(Date.now() / 1000);
  const markOf = (channel: Channel): number => marks.current.get(`${as} ${channel.id}`) ?? openedAt.current;
  useEffect(() => {
    if (open) marks.current.set(`${as} ${open.id}`, latestTs(open, as));
  }, [open, as]);
  return (channel) => latestTs(channel, as) > markOf(channel);
}
