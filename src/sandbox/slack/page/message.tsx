import { memo, type ReactNode, useRef, useState } from 'react';
import type { Attachment, Block, Ephemeral, Message } from '../model.ts';
import { act, failureText } from './api.ts';
import { Avatar } from './avatar.tsx';
import { Blocks } from './blocks.tsx';
import { Menu, type MenuEntry } from './elements/menu.tsx';
import { Files } from './files.tsx';
import { useSession } from './session.ts';
import { SurfaceProvider, useSurfaceState } from './surface.tsx';
import { formatDate, formatTime } from './text/date.ts';
import { Mrkdwn } from './text/text.tsx';
import type { Note } from './timeline.ts';
import { useViewer } from './viewer.ts';

/** Renders a message or reply of the channel. */
export const MessageView = memo(function MessageView(props: {
  message: Message;
  inThread: boolean;
}): ReactNode {
  const { message, inThread } = props;
  const viewer = useViewer();
  const isBot = message.user === viewer.app.bot_user_id;
  const author = message.username ?? viewer.userName(message.user);
  if (message.subtype === 'tombstone') return <p className="note quiet">This message was deleted.</p>;
  return (
    <article className="message" data-ts={message.ts} aria-label={`Message from ${author}`}>
      <Avatar name={author} bot={isBot} />
      <div className="message-main">
        <MessageHead author={author} bot={isBot} ts={message.ts} />
        {message.subtype === 'thread_broadcast' && !inThread && (
          <p className="quiet small">replied to a thread</p>
        )}
        <Content content={message} edited={message.edited !== undefined} />
        <Files files={message.files} />
        <Reactions message={message} />
        {!inThread && <ThreadLink message={message} />}
      </div>
      <MessageMenu message={message} inThread={inThread} />
    </article>
  );
});

/** Renders a message that only this person sees. */
export const EphemeralView = memo(function EphemeralView({ message }: { message: Ephemeral }): ReactNode {
  const viewer = useViewer();
  return (
    <article className="message ephemeral" data-ts={message.ts} aria-label="Message only visible to you">
      <Avatar name={viewer.app.name} bot />
      <div className="message-main">
        <p className="quiet small">Only visible to you</p>
        <MessageHead author={viewer.app.name} bot ts={message.ts} />
        <Content content={message} edited={false} />
      </div>
    </article>
  );
});

export function NoteView({ note }: { note: Note }): ReactNode {
  return (
    <article className="message ephemeral" aria-label="Message only visible to you">
      <Avatar name="Slackbot" bot />
      <div className="message-main">
        <p className="quiet small">Only visible to you</p>
        <MessageHead author="Slackbot" bot={false} ts={note.ts} />
        <p role="status">{note.text}</p>
      </div>
    </article>
  );
}

/** Renders the first line of a message: who wrote it, and when. */
export function MessageHead(props: { author: string; bot: boolean; ts: string }): ReactNode {
  const { zone } = useViewer();
  const seconds = Number(props.ts);
  return (
    <p className="message-head">
      <strong>{props.author}</strong>
      {props.bot && <span className="app-badge">App</span>}
      <time title={formatDate('{date_long} at {time_secs}', seconds, zone)}>
        {formatTime(new Date(seconds * 1000), zone)}
      </time>
    </p>
  );
}

type Carrier = { channel: string; ts: string; text: string; blocks: Block[]; attachments: Attachment[] };

/** Renders text or blocks, then attachments, then why the last click failed. */
function Content({ content, edited }: { content: Carrier; edited: boolean }): ReactNode {
  const { channel, ts, text, attachments } = content;
  const blocks = useAllBlocks(content);
  const memory = useSurfaceState({ channel, ts }, blocks);
  const mark = edited && <span className="quiet small"> (edited)</span>;
  return (
    <SurfaceProvider surface={memory.surface}>
      {content.blocks.length > 0 ? (
        <Blocks blocks={content.blocks} />
      ) : (
        text !== '' && (
          <div className="text">
            <Mrkdwn source={text} />
          </div>
        )
      )}
      {attachments.map((attachment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attachments have no id of their own
        <div key={index} className="attachment" style={{ borderColor: cssColor(attachment.color) }}>
          {attachment.blocks ? (
            <Blocks blocks={attachment.blocks} />
          ) : (
            <div className="text">
              <Mrkdwn source={attachment.text ?? attachment.fallback ?? ''} />
            </div>
          )}
        </div>
      ))}
      {mark}
      {memory.problem && (
        <p role="alert" className="problem">
          {memory.problem}
        </p>
      )}
    </SurfaceProvider>
  );
}

/** Returns the blocks of a message and its attachments, as one list that is the same object while they are. */
function useAllBlocks({ blocks, attachments }: Carrier): Block[] {
  const previous = useRef<{ from: [Block[], Attachment[]]; all: Block[] }>(undefined);
  if (previous.current?.from[0] !== blocks || previous.current.from[1] !== attachments) {
    previous.current = {
      from: [blocks, attachments],
      all: [...blocks, ...attachments.flatMap((attachment) => attachment.blocks ?? [])],
    };
  }
  return previous.current.all;
}

function cssColor(color: string | undefined): string | undefined {
  if (color === 'good' || color === 'warning' || color === 'danger') return `var(--${color})`;
  return color && /^#?[0-9a-f]{6}$/i.test(color) ? `#${color.replace('#', '')}` : undefined;
}

function Reactions({ message }: { message: Message }): ReactNode {
  if (message.reactions.length === 0) return null;
  return (
    <p className="reactions">
      {message.reactions.map((reaction) => (
        <span key={reaction.name}>
          <Mrkdwn source={`:${reaction.name}:`} /> {reaction.count}
        </span>
      ))}
    </p>
  );
}

function ThreadLink({ message }: { message: Message }): ReactNode {
  const session = useSession();
  const count = message.replies.length;
  if (count === 0) return null;
  return (
    <button type="button" className="thread-link" onClick={() => session.openThread(message.ts)}>
      {count} {count === 1 ? 'reply' : 'replies'}
    </button>
  );
}

/** Renders what a person can do with a message: reply, use the app's message shortcuts, delete. */
function MessageMenu({ message, inThread }: { message: Message; inThread: boolean }): ReactNode {
  const viewer = useViewer();
  const session = useSession();
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const { channel, ts } = message;
  const run = async (callbackId: string): Promise<void> => {
    const body = { user: viewer.as, callback_id: callbackId, channel, ts };
    const problem = failureText(await act('shortcut', body), viewer.app.name);
    if (problem) session.notify(channel, problem, inThread ? message.thread_ts : undefined);
  };
  const entries: MenuEntry[] = [
    ...(inThread ? [] : [{ name: 'Reply in thread', onChoose: () => session.openThread(ts) }]),
    ...viewer.app.shortcuts
      .filter((shortcut) => shortcut.type === 'message')
      .map((shortcut) => ({
        name: shortcut.name,
        note: viewer.app.name,
        onChoose: () => void run(shortcut.callback_id),
      })),
    { name: 'Delete message', onChoose: () => void act('delete', { channel, ts }) },
  ];
  return (
    <div className={open ? 'message-tools open' : 'message-tools'}>
      {!inThread && (
        <button
          type="button"
          className="icon-button"
          title="Reply in thread"
          aria-label="Reply in thread"
          onClick={() => session.openThread(ts)}
        >
          ↩
        </button>
      )}
      <button
        type="button"
        ref={anchor}
        className="icon-button"
        aria-label="Message actions"
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        ⋮
      </button>
      {open && (
        <Menu anchor={anchor} label="Message actions" entries={entries} onClose={() => setOpen(false)} />
      )}
    </div>
  );
}
