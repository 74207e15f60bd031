import type { ReactNode } from 'react';
import type { Channel } from '../model.ts';
import { ScrollArea } from './scroll-area.tsx';
import { useSession } from './session.ts';
import { plainText } from './text/text.tsx';
import type { Location } from './use-address.ts';
import { useViewer } from './viewer.ts';

/** Renders the messages that the person has saved for later. */
export function Saved(props: { channels: Channel[]; onOpen(location: Location): void }): ReactNode {
  const session = useSession();
  const viewer = useViewer();
  const found = props.channels
    .flatMap(({ messages }) => messages)
    .filter((message) => session.isSaved(message))
    .sort((a, b) => Number(b.ts) - Number(a.ts));
  return (
    <ScrollArea label="Later">
      <ul className="results" aria-label="Saved for later">
        {found.map((message) => (
          <li key={`${message.channel}:${message.ts}`}>
            <button
              type="button"
              onClick={() => props.onOpen({ channel: message.channel, message: message.ts })}
            >
              <strong>{message.username ?? viewer.userName(message.user)}</strong>{' '}
              <span className="quiet small"># {viewer.channelName(message.channel)}</span>
              <span className="excerpt">{plainText(message.text)}</span>
            </button>
            <button type="button" className="button" onClick={() => session.toggleSaved(message)}>
              Done
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className="empty quiet">
          Nothing saved. Save a message with the bookmark that shows when you point at it.
        </p>
      )}
    </ScrollArea>
  );
}
