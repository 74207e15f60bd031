import { X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { Channel } from '../model.ts';
import { Composer } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { type Note, timeline } from './timeline.ts';
import { useViewer } from './viewer.ts';

/** Renders a thread beside its channel. */
export function Thread(props: { channel: Channel; ts: string; notes: Note[]; onClose(): void }): ReactNode {
  const { as } = useViewer();
  const { channel, ts, notes } = props;
  const items = useMemo(() => timeline(channel, as, notes, ts), [channel, as, notes, ts]);
  return (
    <aside className="thread" aria-label="Thread" data-region="thread">
      <header className="bar">
        <h2>Thread</h2>
        <span className="quiet topic"># {channel.name}</span>
        <button type="button" className="icon-button" aria-label="Close thread" onClick={props.onClose}>
          <X size={20} aria-hidden="true" />
        </button>
      </header>
      <MessageList inThread label="Replies" items={items} />
      {!channel.is_archived && <Composer channel={channel.id} name={channel.name} thread={ts} />}
    </aside>
  );
}
