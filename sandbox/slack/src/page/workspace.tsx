import { Menu as MenuIcon, Pin, Search } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { Channel, SandboxState } from '../model.ts';
import { ChannelIcon } from './channel-icon.tsx';
import { ChannelView } from './channel-view.tsx';
import { ConfirmProvider } from './confirm.tsx';
import { FocusKeeper } from './focus-keeper.tsx';
import { Home } from './home.tsx';
import { Modals } from './modal.tsx';
import { Palette } from './palette.tsx';
import { PictureProvider } from './picture-viewer.tsx';
import { Pinned } from './pinned.tsx';
import { Rail } from './rail.tsx';
import { Saved } from './saved.tsx';
import { SessionProvider } from './session.ts';
import { share } from './share.ts';
import { isListed, Sidebar } from './sidebar.tsx';
import { isBeside, toggleBeside } from './split.tsx';
import { Thread } from './thread.tsx';
import type { Note } from './timeline.ts';
import { Tour } from './tour.tsx';
import { type Location, useAddress } from './use-address.ts';
import { useKeys } from './use-keys.ts';
import { useReadMarks } from './use-read-marks.ts';
import { useSessionOf } from './use-session.ts';
import { createViewer, type Viewer, ViewerProvider } from './viewer.ts';
import { WorldPanel } from './world-panel.tsx';

/** Renders the page once the state is known. */
export function Workspace({ state, connected }: { state: SandboxState; connected: boolean }): ReactNode {
  const { as, location, setAs, setLocation } = useAddress(state);
  const [thread, setThread] = useState<string>();
  const [beside, setBeside] = useState<'world' | 'pinned'>();
  const worldOpen = beside === 'world';
  const [menuOpen, setMenuOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);
  const [notes, setNotes] = useState<Note[]>([]);
  const viewer = useStableViewer(state, as);
  const channel =
    typeof location === 'string' ? undefined : state.channels.find(({ id }) => id === location.channel);
  const marks = useReadMarks(as, channel);
  const session = useSessionOf({ as, openThread: setThread, setNotes, markUnread: marks.markUnread });

  const go = (next: Location): void => {
    setLocation(next);
    setThread(undefined);
    setMenuOpen(false);
    setPaletteOpen(false);
  };
  const become = (user: string): void => {
    setAs(user);
    setNotes([]);
    setPaletteOpen(false);
    // A direct message channel belongs to one person.
    if (channel?.is_im)
      go({ channel: state.channels.find((other) => other.is_im && other.user === user)?.id ?? '' });
  };
  useKeys({
    channels: state.channels.filter((other) => isListed(other, as)),
    here: channel?.id,
    isUnread: (other) => marks.unreadOf(other).messages > 0,
    go,
    openPalette: () => setPaletteOpen(true),
    escape: () => {
      if (menuOpen) setMenuOpen(false);
      else if (thread) setThread(undefined);
      else if (beside) setBeside(undefined);
      else return false;
      return true;
    },
  });

  const title = channel
    ? titleOf(channel, viewer)
    : location === 'saved'
      ? 'Later'
      : `${state.app.name} home`;
  return (
    <ViewerProvider value={viewer}>
      <SessionProvider value={session}>
        <PictureProvider>
          <ConfirmProvider>
            <div
              className={`workspace${menuOpen ? ' menu-open' : ''}${thread || beside ? ' with-thread' : ''}`}
            >
              <header className="top" data-region="search">
                <button type="button" className="search-button" onClick={() => setPaletteOpen(true)}>
                  <Search size={14} aria-hidden="true" />
                  <span>Search {state.team.name}</span>
                  <kbd>Ctrl K</kbd>
                </button>
              </header>
              <Rail
                team={state.team.name}
                location={location}
                onHome={() => location === 'saved' && go({ channel: state.channels[0]?.id ?? '' })}
                onLocation={go}
                onBeside={() => toggleBeside(as, state.users)}
                worldOpen={worldOpen}
                onWorld={() => setBeside(worldOpen ? undefined : 'world')}
              />
              <Sidebar
                state={state}
                as={as}
                location={location}
                unreadOf={marks.unreadOf}
                onAs={become}
                onLocation={go}
              />
              <main className="middle">
                <h1 className="sr-only">{state.team.name}</h1>
                <header className="bar">
                  <button
                    type="button"
                    className="icon-button menu-button"
                    aria-label="Menu"
                    aria-expanded={menuOpen}
                    onClick={() => setMenuOpen(!menuOpen)}
                  >
                    <MenuIcon size={20} aria-hidden="true" />
                  </button>
                  <h2 aria-label={title}>
                    {channel && !channel.is_im && <ChannelIcon channel={channel} />}
                    {title.replace(/^#/, '')}
                  </h2>
                  {channel?.is_ext_shared && <span className="quiet topic">Shared with another company</span>}
                  {channel?.topic && <span className="quiet topic">{channel.topic}</span>}
                  {channel && !channel.is_im && (
                    <button
                      type="button"
                      className="icon-button pins"
                      title="Pinned messages"
                      aria-label="Pinned messages"
                      aria-pressed={beside === 'pinned'}
                      onClick={() => setBeside(beside === 'pinned' ? undefined : 'pinned')}
                    >
                      <Pin size={17} aria-hidden="true" />
                    </button>
                  )}
                  {!connected && (
                    <span role="status" className="lost">
                      Reconnecting…
                    </span>
                  )}
                  <button
                    type="button"
                    className="icon-button search-icon"
                    aria-label="Search"
                    onClick={() => setPaletteOpen(true)}
                  >
                    <Search size={18} aria-hidden="true" />
                  </button>
                </header>
                {location === 'home' && <Home view={state.homes[as]} />}
                {location === 'saved' && <Saved channels={state.channels} onOpen={go} />}
                {typeof location !== 'string' && channel && (
                  <ChannelView
                    key={`${as}-${channel.id}`}
                    {...{ channel, title, notes, readTo: marks.readTo, target: location.message }}
                  />
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
              {worldOpen && !(channel && thread) && (
                <WorldPanel
                  panel={state.panel}
                  processes={state.processes}
                  onClose={() => setBeside(undefined)}
                />
              )}
              {beside === 'pinned' && channel && !thread && (
                <Pinned channel={channel} onOpen={go} onClose={() => setBeside(undefined)} />
              )}
            </div>
            {paletteOpen && (
              <Palette
                channels={state.channels.filter((other) => isListed(other, as) || other.is_archived)}
                onGo={go}
                onAs={become}
                onClose={() => setPaletteOpen(false)}
              />
            )}
            {!isBeside && <Tour steps={state.tour} channels={state.channels} me={as} />}
            <Modals views={state.views[as] ?? []} />
            <FocusKeeper />
          </ConfirmProvider>
        </PictureProvider>
      </SessionProvider>
    </ViewerProvider>
  );
}

function titleOf(channel: Channel, viewer: Viewer): string {
  return channel.is_im ? viewer.app.name : `#${channel.name}`;
}

/** Returns the viewer, as the same object while its names and files are unchanged. */
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
