import { Hash, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Channel } from '../model.ts';

/** Renders the sign before a channel's name, a lock if the channel is private. Screen readers read `#` in both cases. */
export function ChannelIcon({ channel }: { channel: Pick<Channel, 'is_private'> }): ReactNode {
  const Icon = channel.is_private ? Lock : Hash;
  return (
    <>
      <Icon className="channel-icon" size="1em" strokeWidth={2.2} aria-hidden="true" />
      <span className="sr-only">#</span>
    </>
  );
}
