import { createContext, useContext } from 'react';

/** What a person can do from anywhere on the page. */
export interface Session {
  /** Opens a thread beside the channel. */
  openThread(ts: string): void;
  /** Shows the person a message in a channel, as from Slackbot; only they see it, until they leave the page. */
  notify(channel: string, text: string, thread?: string): void;
}

const SessionContext = createContext<Session | undefined>(undefined);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('No session: this component belongs inside the workspace.');
  return session;
}
