import { House } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Channel, SandboxState } from '../model.ts';
import { Avatar } from './avatar.tsx';
import { ChannelIcon } from './channel-icon.tsx';
import type { Unread } from './timeline.ts';
import type { Location } from './use-address.ts';

/** Returns whether a person's sidebar lists this channel outside the archived ones. */
export function isListed(channel: Channel, as: string): boolean {
  return !channel.is_archived && (!channel.is_im || channel.user === as);
}

/** Renders the workspace's name, the current person, the channels, direct messages and the app's home. */
export function Sidebar(props: {
  state: SandboxState;
  as: string;
  location: Location;
  unreadOf: (channel: Channel) => Unread;
  onAs(user: string): void;
  onLocation(location: Location): void;
}): ReactNode {
  const { state, as, location } = props;
  const here = typeof location === 'string' ? location : location.channel;
  const visible = state.channels.filter((channel) => isListed(channel, as));
  const archived = state.channels.filter((channel) => channel.is_archived);
  const entry = (channel: Channel): ReactNode => (
    <ChannelEntry
      key={channel.id}
      channel={channel}
      app={state.app.name}
      isHere={here === channel.id}
      unread={props.unreadOf(channel)}
      onOpen={() => props.onLocation({ channel: channel.id })}
    />
  );
  const isConnected = state.sockets > 0 || state.settings.requestUrl !== '';
  return (
    <nav className="sidebar" aria-label="Workspace" data-region="sidebar">
      <p className="team-name">{state.team.name}</p>
      <label className="you-are">
        You are
        <select value={as} onChange={(event) => props.onAs(event.target.value)}>
          {state.users
            .filter((user) => !user.is_bot)
            .map((user) => (
              <option key={user.id} value={user.id}>
                {user.real_name}
              </option>
            ))}
        </select>
      </label>
      <h2>Channels</h2>
      <ul>{visible.filter((channel) => !channel.is_im).map(entry)}</ul>
      <h2>Direct messages</h2>
      <ul>{visible.filter((channel) => channel.is_im).map(entry)}</ul>
      {state.app.home && (
        <>
          <h2>Apps</h2>
          <ul>
            <li>
              <button
                type="button"
                aria-current={location === 'home' ? 'page' : undefined}
                onClick={() => props.onLocation('home')}
              >
                <House size="1em" aria-hidden="true" />
                <span className="name">{state.app.name} home</span>
              </button>
            </li>
          </ul>
        </>
      )}
      {archived.length > 0 && (
        <>
          <h2>Archived</h2>
          <ul>{archived.map(entry)}</ul>
        </>
      )}
      <p className={isConnected ? 'sockets connected' : 'sockets'}>
        {isConnected ? 'App connected' : 'App not connected'}
      </p>
    </nav>
  );
}

function ChannelEntry(props: {
  channel: Channel;
  app: string;
  isHere: boolean;
  unread: Unread;
  onOpen(): void;
}): ReactNode {
  const { channel, unread } = props;
  return (
    <li>
      <button
        type="button"
        aria-current={props.isHere ? 'page' : undefined}
        className={unread.messages > 0 ? 'unread' : ''}
        onClick={props.onOpen}
      >
        {channel.is_im ? <Avatar name={props.app} bot /> : <ChannelIcon channel={channel} />}
        <span className="name">{channel.is_im ? props.app : channel.name}</span>
        {unread.messages > 0 && <span className="sr-only unread-mark">, {unread.messages} unread</span>}
        {unread.mentions > 0 && (
          <span className="mentions" aria-hidden="true">
            {unread.mentions > 99 ? '99+' : unread.mentions}
          </span>
        )}
      </button>
    </li>
  );
}
