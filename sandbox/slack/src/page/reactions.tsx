import { SmilePlus } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { Message } from '../model.ts';
import { act } from './api.ts';
import { Popover } from './elements/popover.tsx';
import { emojiLike, emojiNamed } from './text/emoji.ts';
import { useViewer } from './viewer.ts';

/** The emoji that the picker offers before anything is typed. */
const usual = ['white_check_mark', 'eyes', 'raised_hands', '+1', '-1', 'x', 'heart', 'tada', 'thinking'];

/** Renders the reactions under a message. A press adds or removes the person's own. */
export function Reactions({ message }: { message: Message }): ReactNode {
  const viewer = useViewer();
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  if (message.reactions.length === 0) return null;
  return (
    <div className="reactions">
      {message.reactions.map(({ name, users, count }) => {
        const isOwn = users.includes(viewer.as);
        const people = users.map((id) => (id === viewer.as ? 'you' : viewer.userName(id))).join(', ');
        return (
          <button
            key={name}
            type="button"
            className="reaction"
            aria-pressed={isOwn}
            title={`${people} reacted with :${name}:`}
            aria-label={`${count} ${name.replaceAll('_', ' ')}, by ${people}`}
            onClick={() => void react(message, viewer.as, name)}
          >
            <span aria-hidden="true">{emojiNamed(name) ?? `:${name}:`}</span> {count}
          </button>
        );
      })}
      <button
        type="button"
        ref={anchor}
        className="reaction"
        aria-label="Add another reaction"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <SmilePlus size={15} aria-hidden="true" />
      </button>
      {open && <ReactionPicker anchor={anchor} message={message} onClose={() => setOpen(false)} />}
    </div>
  );
}

async function react(message: Message, user: string, name: string): Promise<void> {
  const known = message.reactions.find((reaction) => reaction.name === name);
  const { channel, ts } = message;
  await act(known?.users.includes(user) ? 'unreact' : 'react', { user, channel, ts, name });
}

/** Renders the reaction picker: common ones first, others by name. */
export function ReactionPicker(props: {
  anchor: RefObject<HTMLElement | null>;
  message: Message;
  onClose: () => void;
}): ReactNode {
  const { anchor, message, onClose } = props;
  const viewer = useViewer();
  const [query, setQuery] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const names = query === '' ? usual : emojiLike(query, 27);
  useEffect(() => box.current?.querySelector('input')?.focus({ preventScroll: true }), []);
  const choose = (name: string): void => {
    onClose();
    anchor.current?.focus();
    void react(message, viewer.as, name);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const first = names[0];
    if (event.key === 'Escape') {
      event.stopPropagation();
      onClose();
      anchor.current?.focus();
    } else if (event.key === 'Enter' && event.target instanceof HTMLInputElement && first) {
      event.preventDefault();
      choose(first);
    }
  };
  return (
    <Popover anchor={anchor} onDismiss={onClose}>
      <div
        ref={box}
        role="dialog"
        aria-label="Add a reaction"
        className="reaction-picker"
        onKeyDown={onKeyDown}
      >
        <input
          type="search"
          className="input"
          placeholder="Search all emoji"
          aria-label="Search all emoji"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <div className="emoji-grid">
          {names.map((name) => (
            <button
              key={name}
              type="button"
              title={`:${name}:`}
              aria-label={name.replaceAll('_', ' ')}
              onClick={() => choose(name)}
            >
              {emojiNamed(name)}
            </button>
          ))}
          {names.length === 0 && <p className="quiet small">No emoji is called that.</p>}
        </div>
      </div>
    </Popover>
  );
}
