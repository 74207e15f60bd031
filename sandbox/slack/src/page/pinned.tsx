import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Channel, Message } from '../model.ts';
import { plainText } from './text/text.tsx';
import type { Location } from './use-address.ts';
import { useViewer } from './viewer.ts';

/** Returns a channel's pinned messages, most recently pinned first. */
export function pinnedIn(channel: Channel): Message[] {
  return channel.messages
    .flatMap((message) => [message, ...message.replies])
    .filter((message, index, all) => message.pinned_info !== undefined && all.indexOf(message) === index)
    .sort((a, b) => (b.pinned_info?.pinned_ts ?? 0) - (a.pinned_info?.pinned_ts ?? 0));
}

/** Renders the pinned messages of a channel beside it. */
export function Pinned(props: {
  channel: Channel;
  onOpen(location: Location): void;
  onClose(): void;
}): ReactNode {
  const { channel } = props;
  const viewer = useViewer();
  const found = pinnedIn(channel);
  return (
    <aside className="thread" aria-label="Pinned" data-region="pinned">
      <header className="bar">
        <h2>Pinned</h2>
        <span className="quiet topic"># {channel.name}</span>
        <button type="button" className="icon-button" aria-label="Close pinned" onClick={props.onClose}>
          <X size={20} aria-hidden="true" />
        </button>
      </header>
      <ul className="results" aria-label="Pinned messages">
        {found.map((message) => (
          <li key={message.ts}>
            <button
              type="button"
              onClick={() => props.onOpen({ channel: channel.id, message: message.thread_ts ?? message.ts })}
            >
              <strong>{message.username ?? viewer.userName(message.user)}</strong>
              <span className="excerpt">{plainText(message.text)}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className="empty quiet">
          Nothing pinned. Pin a message from the menu that shows when you point at it.
        </p>
      )}
    </aside>
  );
}
