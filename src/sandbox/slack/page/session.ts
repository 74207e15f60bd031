import { createContext, useContext } from 'react';
import type { Message } from '../model.ts';

/** What a person can do from anywhere on the page. */
export interface Session {
  /** Opens a thread beside the channel. */
  openThread(ts: string): void;
  /** Shows the person a message in a channel, as from Slackbot; only they see it, until they leave the page. */
  notify(channel: string, text: string, thread?: string): void;
  /** Marks a message of the open channel, and all after it, as not read. */
  markUnread(ts: string): void;
  /** Copies the address of this page that leads to a message. */
  copyLink(message: Pick<Message, 'channel' | 'ts'>): void;
  isSaved(message: Pick<Message, 'channel' | 'ts'>): boolean;
  /** Saves a message for later, or no longer. */
  toggleSaved(message: Pick<Message, 'channel' | 'ts'>): void;
}

const SessionContext = createContext<Session | undefined>(undefined);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('No session: this component belongs inside the workspace.');
  return session;
}
