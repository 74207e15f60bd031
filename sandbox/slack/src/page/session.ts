import { createContext, useContext } from 'react';
import type { Message } from '../model.ts';

/** The actions that are available everywhere on the page. */
export interface Session {
  /** Opens a thread beside the channel. */
  openThread(ts: string): void;
  /** Shows a message from Slackbot in a channel; only this person sees it, until they leave the page. */
  notify(channel: string, text: string, thread?: string): void;
  /** Marks a message of the open channel, and all after it, as unread. */
  markUnread(ts: string): void;
  /** Copies the link to a message on this page. */
  copyLink(message: Pick<Message, 'channel' | 'ts'>): void;
  isSaved(message: Pick<Message, 'channel' | 'ts'>): boolean;
  /** Saves a message for later, or removes it from the saved ones. */
  toggleSaved(message: Pick<Message, 'channel' | 'ts'>): void;
}

const SessionContext = createContext<Session | undefined>(undefined);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('No session: this component belongs inside the workspace.');
  return session;
}
