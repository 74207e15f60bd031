import type { ReactNode } from 'react';
import type { Channel } from '../model.ts';
import { Composer } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { channelTimeline, type Note } from './timeline.ts';
import { useViewer } from './viewer.ts';

/** Renders the messages of a channel and its composer. */
export function ChannelView(props: {
  channel: Channel;
  title: string;
  notes: Note[];
  /** The time up to which the person has read; undefined: everything. */
  readTo: number | undefined;
  /** A message to scroll to. */
  target: string | undefined;
}): ReactNode {
  const { channel, title, notes } = props;
  const { as } = useViewer();
  const items = channelTimeline(channel, as, notes);
  return (
    <>
      <MessageList label={`Messages in ${title}`} items={items} readTo={props.readTo} target={props.target} />
      {channel.is_archived ? (
        <p className="archived quiet">This channel is archived.</p>
      ) : (
        <Composer channel={channel.id} name={title} />
      )}
    </>
  );
}
