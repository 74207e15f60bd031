import { Hash, House, Lock, MessageCircle, MessageSquareText, UserRound } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react';
import type { Channel } from '../model.ts';
import { Dialog } from './dialog.tsx';
import { plainText } from './text/text.tsx';
import type { Location } from './use-address.ts';
import { useViewer, type Viewer } from './viewer.ts';

/** The maximum number of messages that a search shows, newest first. */
const mostMessages = 20;

interface Result {
  readonly key: string;
  readonly kind: keyof typeof icons;
  readonly name: string;
  readonly note: string;
  choose(): void;
}

/** Renders the search for channels, people and messages: arrows move, Enter opens, Escape closes. */
export function Palette(props: {
  channels: Channel[];
  onGo(location: Location): void;
  onAs(user: string): void;
  onClose(): void;
}): ReactNode {
  const viewer = useViewer();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const results = useMemo(() => find(query, viewer, props), [query, viewer, props]);
  const chosen = results[Math.min(active, results.length - 1)];
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && results.length > 0) {
      event.preventDefault();
      setActive((active + step + results.length) % results.length);
    } else if (event.key === 'Enter' && chosen) {
      event.preventDefault();
      chosen.choose();
    }
  };
  return (
    <Dialog title="Search" onClose={props.onClose}>
      <div className="palette">
        <input
          type="search"
          role="combobox"
          className="input"
          data-autofocus
          aria-label="Channels, people and messages"
          aria-expanded={results.length > 0}
          aria-controls={listId}
          aria-activedescendant={chosen ? `${listId}-${chosen.key}` : undefined}
          placeholder="Channels, people and messages"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div role="listbox" id={listId} aria-label="Results" tabIndex={-1}>
          {results.map((result) => (
            <ResultView
              key={result.key}
              result={result}
              id={`${listId}-${result.key}`}
              isActive={result === chosen}
            />
          ))}
        </div>
        {results.length === 0 && <p className="quiet">Nothing is called that, and no message says it.</p>}
      </div>
    </Dialog>
  );
}

const icons = {
  channel: Hash,
  private: Lock,
  direct: MessageCircle,
  home: House,
  person: UserRound,
  message: MessageSquareText,
} as const;

function ResultView(props: { result: Result; id: string; isActive: boolean }): ReactNode {
  const { result } = props;
  const Icon = icons[result.kind];
  return (
    <button
      type="button"
      role="option"
      id={props.id}
      tabIndex={-1}
      aria-selected={props.isActive}
      className={props.isActive ? 'active' : ''}
      ref={(element) => {
        if (props.isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      onClick={result.choose}
    >
      <Icon size={16} aria-hidden="true" />
      <span className="name">{result.name}</span>
      <small>{result.note}</small>
    </button>
  );
}

function find(
  query: string,
  viewer: Viewer,
  { channels, onGo, onAs }: { channels: Channel[]; onGo(to: Location): void; onAs(user: string): void },
): Result[] {
  const words = query.trim().toLowerCase().replace(/^#/, '').split(/\s+/).filter(Boolean);
  const matches = (text: string): boolean => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
  const nameOf = (channel: Channel): string => (channel.is_im ? viewer.app.name : channel.name);
  const places = channels.map(
    (channel): Result => ({
      key: channel.id,
      kind: channel.is_im ? 'direct' : channel.is_private ? 'private' : 'channel',
      name: nameOf(channel),
      note: channel.is_im ? 'Direct message' : channel.is_archived ? 'Archived channel' : 'Channel',
      choose: () => onGo({ channel: channel.id }),
    }),
  );
  const home: Result = {
    key: 'home',
    kind: 'home',
    name: `${viewer.app.name} home`,
    note: 'App',
    choose: () => onGo('home'),
  };
  const people = viewer.users
    .filter(({ id }) => id !== viewer.app.bot_user_id && id !== viewer.as)
    .map(
      (user): Result => ({
        key: user.id,
        kind: 'person',
        name: user.real_name,
        note: 'Act as this person',
        choose: () => onAs(user.id),
      }),
    );
  const named = [...places, home, ...people].filter(({ name }) => matches(name));
  if (words.length === 0) return named;
  return [...named, ...findMessages(channels, matches, viewer, onGo)];
}

function findMessages(
  channels: Channel[],
  matches: (text: string) => boolean,
  viewer: Viewer,
  onGo: (to: Location) => void,
): Result[] {
  return channels
    .flatMap((channel) => channel.messages)
    .filter((message) => matches(message.text))
    .sort((a, b) => Number(b.ts) - Number(a.ts))
    .slice(0, mostMessages)
    .map((message) => ({
      key: `${message.channel}-${message.ts.replace('.', '-')}`,
      kind: 'message',
      name: plainText(message.text),
      note: `${message.username ?? viewer.userName(message.user)} in #${viewer.channelName(message.channel)}`,
      choose: () => onGo({ channel: message.channel, message: message.ts }),
    }));
}
