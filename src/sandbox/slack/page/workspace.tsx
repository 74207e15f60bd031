import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { Channel, SandboxState } from '../model.ts';
import { Composer } from './composer.tsx';
import { ConfirmProvider } from './confirm.tsx';
import { Home } from './home.tsx';
import { MessageList } from './message-list.tsx';
import { Modals } from './modal.tsx';
import { type Session, SessionProvider } from './session.ts';
import { share } from './share.ts';
import { type Location, Sidebar } from './sidebar.tsx';
import { Thread } from './thread.tsx';
import { type Note, timeline } from './timeline.ts';
import { useReadMarks } from './use-read-marks.ts';
import { createViewer, type Viewer, ViewerProvider } from './viewer.ts';

/** Renders the page once the state is known. */
export function Workspace({ state, connected }: { state: SandboxState; connected: boolean }): ReactNode {
  const { as, location, setAs, setLocation } = useAddress(state);
  const [thread, setThread] = useState<string>();
  const [menuOpen, setMenuOpen] = useState(false);
  const [notes, setNotes] = useState<Note[]>([]);
  const viewer = useStableViewer(state, as);
  const channel = location === 'home' ? undefined : state.channels.find(({ id }) => id === location.channel);
  const unread = useReadMarks(as, channel);

  const session = useMemo<Session>(
    () => ({
      openThread: setThread,
      notify: (to, text, inThread) => {
        const ts = (Date.now() / 1000).toFixed(6);
        setNotes((all) => [...all, { ts, channel: to, thread: inThread, text }]);
      },
    }),
    [],
  );
  const go = (next: Location): void => {
    setLocation(next);
    setThread(undefined);
    setMenuOpen(false);
  };
  const become = (user: string): void => {
    setAs(user);
    setNotes([]);
    // A direct message belongs to the one who has it.
    if (channel?.is_im)
      go({ channel: state.channels.find((other) => other.is_im && other.user === user)?.id ?? '' });
  };

  const title = channel ? titleOf(channel, viewer) : `${state.app.name} home`;
  return (
    <ViewerProvider value={viewer}>
      <SessionProvider value={session}>
        <ConfirmProvider>
          <div className={`workspace${menuOpen ? ' menu-open' : ''}${thread ? ' with-thread' : ''}`}>
            <Sidebar
              state={state}
              as={as}
              location={location}
              unread={unread}
              onAs={become}
              onLocation={go}
            />
            <main className="middle">
              <header className="bar">
                <button
                  type="button"
                  className="icon-button menu-button"
                  aria-label="Menu"
                  aria-expanded={menuOpen}
                  onClick={() => setMenuOpen(!menuOpen)}
                >
                  ☰
                </button>
                <h2>{title}</h2>
                {channel?.is_ext_shared && <span className="quiet topic">Shared with another company</span>}
                {channel?.topic && <span className="quiet topic">{channel.topic}</span>}
                {!connected && (
                  <span role="status" className="lost">
                    Reconnecting…
                  </span>
                )}
              </header>
              {channel ? (
                <>
                  <MessageList
                    key={`${as}-${channel.id}`}
                    label={`Messages in ${title}`}
                    items={timeline(channel, as, notes)}
                  />
                  {channel.is_archived ? (
                    <p className="archived quiet">This channel is archived.</p>
                  ) : (
                    <Composer key={`composer-${as}-${channel.id}`} channel={channel.id} name={title} />
                  )}
                </>
              ) : (
                <Home view={state.homes[as]} />
              )}
            </main>
            {channel && thread && (
              <Thread
                key={thread}
                channel={channel}
                ts={thread}
                notes={notes}
                onClose={() => setThread(undefined)}
              />
            )}
          </div>
          <Modals views={state.views[as] ?? []} />
        </ConfirmProvider>
      </SessionProvider>
    </ViewerProvider>
  );
}

function titleOf(channel: Channel, viewer: Viewer): string {
  return channel.is_im ? viewer.app.name : `#${channel.name}`;
}

/** Stores who one is and what is open in the page's address: `?as=U02BEN&channel=C01REVIEW`. */
function useAddress(state: SandboxState) {
  const params = new URLSearchParams(window.location.search);
  const [as, setAs] = useState(() => {
    const people = state.users.filter((user) => !user.is_bot);
    return (people.find(({ id }) => id === params.get('as')) ?? people[0])?.id ?? '';
  });
  const [location, setLocation] = useState<Location>(() => {
    if (params.get('channel') === 'home') return 'home';
    const known = state.channels.find(({ id }) => id === params.get('channel')) ?? state.channels[0];
    return { channel: known?.id ?? '' };
  });
  return {
    as,
    location,
    setAs: (user: string) => {
      remember('as', user);
      setAs(user);
    },
    setLocation: (next: Location) => {
      remember('channel', next === 'home' ? next : next.channel);
      setLocation(next);
    },
  };
}

function remember(name: string, value: string): void {
  const next = new URL(window.location.href);
  next.searchParams.set(name, value);
  window.history.replaceState(null, '', next);
}

/** Returns the viewer: the same object for as long as its names and files are the same. */
function useStableViewer(state: SandboxState, as: string): Viewer {
  const previous = useRef<{ known: unknown; as: string; viewer: Viewer }>(undefined);
  const { users, files, usergroups, app } = state;
  const channels = state.channels.map((channel) => ({ ...channel, messages: [], ephemerals: [] }));
  const known = share(previous.current?.known, { users, files, usergroups, app, channels });
  if (previous.current?.known !== known || previous.current.as !== as) {
    previous.current = { known, as, viewer: createViewer(state, as) };
  }
  return previous.current.viewer;
}
