import type { ReactNode } from 'react';
import type { Channel } from '../model.ts';
import { Composer } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { type Note, timeline } from './timeline.ts';
import { useViewer } from './viewer.ts';

/** Renders a thread beside its channel. */
export function Thread(props: { channel: Channel; ts: string; notes: Note[]; onClose(): void }): ReactNode {
  const { as } = useViewer();
  return (
    <aside className="thread" aria-label="Thread">
      <header className="bar">
        <h2>Thread</h2>
        <span className="quiet"># {props.channel.name}</span>
        <button type="button" className="icon-button" aria-label="Close thread" onClick={props.onClose}>
          ×
        </button>
      </header>
      <MessageList inThread label="Replies" items={timeline(props.channel, as, props.notes, props.ts)} />
      {!props.channel.is_archived && (
        <Composer channel={props.channel.id} name={props.channel.name} thread={props.ts} />
      )}
    </aside>
  );
}
