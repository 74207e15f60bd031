import type { ReactNode } from 'react';
import type { Channel, SandboxState } from '../model.ts';

/** What the middle of the page shows: a channel by its id, or the app's home. */
export type Location = { channel: string } | 'home';

/** Renders the workspace's name, who one is, the channels, direct messages and the app's home. */
export function Sidebar(props: {
  state: SandboxState;
  as: string;
  location: Location;
  unread: (channel: Channel) => boolean;
  onAs(user: string): void;
  onLocation(location: Location): void;
}): ReactNode {
  const { state, as, location } = props;
  const visible = state.channels.filter((channel) => !channel.is_archived);
  const archived = state.channels.filter((channel) => channel.is_archived);
  const entry = (channel: Channel, name: string): ReactNode => {
    const here = location !== 'home' && location.channel === channel.id;
    const unread = !here && props.unread(channel);
    return (
      <li key={channel.id}>
        <button
          type="button"
          aria-current={here ? 'page' : undefined}
          className={unread ? 'unread' : ''}
          onClick={() => props.onLocation({ channel: channel.id })}
        >
          {name}
          {unread && (
            <span className="unread-mark" role="img" aria-label="unread">
              ●
            </span>
          )}
        </button>
      </li>
    );
  };
  return (
    <nav className="sidebar" aria-label="Workspace">
      <h1>{state.team.name}</h1>
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
      <ul>
        {visible.filter((channel) => !channel.is_im).map((channel) => entry(channel, `# ${channel.name}`))}
      </ul>
      <h2>Direct messages</h2>
      <ul>
        {visible
          .filter((channel) => channel.is_im && channel.user === as)
          .map((channel) => entry(channel, state.app.name))}
      </ul>
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
                {state.app.name} home
              </button>
            </li>
          </ul>
        </>
      )}
      {archived.length > 0 && (
        <>
          <h2>Archived</h2>
          <ul>{archived.map((channel) => entry(channel, `# ${channel.name}`))}</ul>
        </>
      )}
      <p className="sockets">
        {state.sockets > 0 || state.settings.requestUrl ? 'App connected' : 'App not connected'}
      </p>
    </nav>
  );
}
