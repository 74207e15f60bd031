import { type Dispatch, type SetStateAction, useMemo, useRef, useState } from 'react';
import type { Message } from '../model.ts';
import type { Session } from './session.ts';
import type { Note } from './timeline.ts';
import { addressWith } from './use-address.ts';

const placeOf = ({ channel, ts }: Pick<Message, 'channel' | 'ts'>): string => `${channel}:${ts}`;

/** Returns the actions available everywhere on the page, as the same object until the saved messages change. */
export function useSessionOf(parts: {
  as: string;
  openThread(ts: string): void;
  setNotes: Dispatch<SetStateAction<Note[]>>;
  markUnread(ts: string): void;
}): Session {
  const { as } = parts;
  const latest = useRef(parts);
  latest.current = parts;
  const [saved, setSaved] = useState(() => new Map<string, readonly string[]>());
  const own = saved.get(as) ?? readSaved(as);
  const ownKey = own.join();
  return useMemo<Session>(() => {
    const places = ownKey === '' ? [] : ownKey.split(',');
    const notify: Session['notify'] = (channel, text, thread) => {
      const ts = (Date.now() / 1000).toFixed(6);
      latest.current.setNotes((all) => [...all, { ts, channel, thread, text }]);
    };
    return {
      openThread: (ts) => latest.current.openThread(ts),
      notify,
      markUnread: (ts) => latest.current.markUnread(ts),
      copyLink: ({ channel, ts }) => {
        const { href } = addressWith({ channel, message: ts });
        // Browsers offer the clipboard only to pages on localhost or https.
        const copied = navigator.clipboard?.writeText(href) ?? Promise.reject(new Error('No clipboard'));
        copied.catch(() => notify(channel, `The link to the message is ${href}`));
      },
      isSaved: (message) => places.includes(placeOf(message)),
      toggleSaved: (message) => {
        const place = placeOf(message);
        const next = places.includes(place) ? places.filter((other) => other !== place) : [place, ...places];
        window.localStorage.setItem(storageKey(as), next.join());
        setSaved((all) => new Map(all).set(as, next));
      },
    };
  }, [ownKey, as]);
}

const storageKey = (as: string): string => `sandbox.saved.${as}`;

/** Reads which messages a person has saved in this browser, most recently saved first. */
function readSaved(as: string): readonly string[] {
  const stored = window.localStorage.getItem(storageKey(as));
  return stored ? stored.split(',') : [];
}
