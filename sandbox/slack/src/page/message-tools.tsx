import { Bookmark, EllipsisVertical, MessageSquareText, SmilePlus } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { Message } from '../model.ts';
import { act, failureText } from './api.ts';
import { Menu, type MenuEntry } from './elements/menu.tsx';
import { ReactionPicker } from './reactions.tsx';
import { useSession } from './session.ts';
import { useViewer } from './viewer.ts';

/** Renders a message's toolbar: react, reply, save, and a menu with the rest. */
export function MessageTools(props: { message: Message; inThread: boolean; onEdit: () => void }): ReactNode {
  const { message, inThread } = props;
  const session = useSession();
  const [open, setOpen] = useState<'menu' | 'reactions'>();
  const menu = useRef<HTMLButtonElement>(null);
  const smile = useRef<HTMLButtonElement>(null);
  const isSaved = session.isSaved(message);
  const entries = useEntries(props);
  return (
    <div className={open ? 'message-tools open' : 'message-tools'}>
      <button
        type="button"
        ref={smile}
        className="icon-button"
        title="Add reaction"
        aria-label="Add reaction"
        aria-haspopup="dialog"
        aria-expanded={open === 'reactions'}
        data-tool="react"
        onClick={() => setOpen(open === 'reactions' ? undefined : 'reactions')}
      >
        <SmilePlus size={18} aria-hidden="true" />
      </button>
      {!inThread && (
        <button
          type="button"
          className="icon-button"
          title="Reply in thread"
          aria-label="Reply in thread"
          data-tool="thread"
          onClick={() => session.openThread(message.ts)}
        >
          <MessageSquareText size={18} aria-hidden="true" />
        </button>
      )}
      <button
        type="button"
        className="icon-button"
        title={isSaved ? 'Remove from saved' : 'Save for later'}
        aria-label="Save for later"
        aria-pressed={isSaved}
        data-tool="save"
        onClick={() => session.toggleSaved(message)}
      >
        <Bookmark size={18} aria-hidden="true" fill={isSaved ? 'currentcolor' : 'none'} />
      </button>
      <button
        type="button"
        ref={menu}
        className="icon-button"
        title="More actions"
        aria-label="Message actions"
        aria-haspopup="menu"
        aria-expanded={open === 'menu'}
        onClick={() => setOpen(open === 'menu' ? undefined : 'menu')}
      >
        <EllipsisVertical size={18} aria-hidden="true" />
      </button>
      {/* Hidden buttons for the keys E and U; the menu lists both actions. */}
      <span hidden>
        {entries.map(
          ({ tool, onChoose }) =>
            tool && <button key={tool} type="button" data-tool={tool} onClick={onChoose} />,
        )}
      </span>
      {open === 'menu' && (
        <Menu anchor={menu} label="Message actions" entries={entries} onClose={() => setOpen(undefined)} />
      )}
      {open === 'reactions' && (
        <ReactionPicker anchor={smile} message={message} onClose={() => setOpen(undefined)} />
      )}
    </div>
  );
}

type ToolEntry = MenuEntry & { tool?: string };

function useEntries(props: { message: Message; inThread: boolean; onEdit: () => void }): ToolEntry[] {
  const { message, inThread } = props;
  const viewer = useViewer();
  const session = useSession();
  const { channel, ts } = message;
  const isOwn = message.user === viewer.as;
  const run = async (callbackId: string): Promise<void> => {
    const body = { user: viewer.as, callback_id: callbackId, channel, ts };
    const problem = failureText(await act('shortcut', body), viewer.app.name);
    if (problem) session.notify(channel, problem, inThread ? message.thread_ts : undefined);
  };
  const shortcuts = viewer.app.shortcuts.filter(({ type }) => type === 'message');
  return [
    ...(inThread
      ? []
      : [
          { name: 'Reply in thread', onChoose: () => session.openThread(ts) },
          { name: 'Mark unread', key: 'U', tool: 'unread', onChoose: () => session.markUnread(ts) },
        ]),
    {
      name: message.pinned_info ? 'Unpin from channel' : 'Pin to channel',
      onChoose: () => void act(message.pinned_info ? 'unpin' : 'pin', { user: viewer.as, channel, ts }),
    },
    { name: 'Copy link', onChoose: () => session.copyLink(message) },
    ...shortcuts.map(({ name, callback_id }) => ({
      name,
      note: viewer.app.name,
      onChoose: () => void run(callback_id),
    })),
    ...(isOwn
      ? [
          { name: 'Edit message', key: 'E', tool: 'edit', onChoose: props.onEdit },
          { name: 'Delete message', danger: true, onChoose: () => void act('delete', { channel, ts }) },
        ]
      : []),
  ];
}
