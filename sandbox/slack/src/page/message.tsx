import { memo, type ReactNode, useState } from 'react';
import type { Ephemeral, Message } from '../model.ts';
import { Avatar } from './avatar.tsx';
import { EditMessage } from './edit-message.tsx';
import { Files } from './files.tsx';
import { Content } from './message-content.tsx';
import { MessageTools } from './message-tools.tsx';
import { Reactions } from './reactions.tsx';
import { useSession } from './session.ts';
import { formatDate, formatTime } from './text/date.ts';
import type { Note } from './timeline.ts';
import { useViewer } from './viewer.ts';

/** Subtypes of Slack's own messages about people: one line, without a badge or tools. */
const systemSubtypes: readonly (string | undefined)[] = ['channel_join', 'channel_leave', 'group_join'];

/** Renders a message or reply. */
export const MessageView = memo(function MessageView(props: {
  message: Message;
  inThread: boolean;
  /** Whether the author's name and picture are already shown above. */
  isFollowUp?: boolean;
  /** Whether it is the target of a jump. */
  isMarked?: boolean;
}): ReactNode {
  const { message, inThread, isFollowUp = false } = props;
  const viewer = useViewer();
  const session = useSession();
  const [isEdited, setIsEdited] = useState(false);
  // The toolbar is a third of a message's rendering cost, so it is omitted until the message is hovered or focused.
  const [isNear, setIsNear] = useState(false);
  const isBot = message.user === viewer.app.bot_user_id;
  const author = message.username ?? viewer.userName(message.user);
  if (message.subtype === 'tombstone') return <p className="note quiet">This message was deleted.</p>;
  const isSaved = session.isSaved(message);
  const classes = [
    'message',
    isFollowUp ? 'follow-up' : '',
    isSaved ? 'saved' : '',
    message.pinned_info ? 'pinned' : '',
    props.isMarked ? 'marked' : '',
    systemSubtypes.includes(message.subtype) ? 'system' : '',
  ];
  return (
    <article
      className={classes.filter(Boolean).join(' ')}
      data-ts={message.ts}
      tabIndex={-1}
      aria-label={`Message from ${author}`}
      onPointerEnter={() => setIsNear(true)}
      onFocus={() => setIsNear(true)}
    >
      {isSaved && <p className="above quiet small">Saved for later</p>}
      {message.pinned_info && (
        <p className="above quiet small">Pinned by {viewer.userName(message.pinned_info.pinned_by)}</p>
      )}
      {message.subtype === 'thread_broadcast' && (
        <p className="above quiet small">
          {inThread ? `also sent to #${viewer.channelName(message.channel)}` : 'replied to a thread'}
        </p>
      )}
      {isFollowUp ? <GutterTime ts={message.ts} /> : <Avatar name={author} bot={isBot} />}
      <div className="message-main">
        <MessageHead author={author} bot={isBot} ts={message.ts} hidden={isFollowUp} />
        {isEdited ? (
          <EditMessage message={message} onDone={() => setIsEdited(false)} />
        ) : (
          <Content content={message} edited={message.edited !== undefined} />
        )}
        <Files files={message.files} />
        <Reactions message={message} />
        {!inThread && <ThreadLink message={message} />}
      </div>
      {isNear && <MessageTools message={message} inThread={inThread} onEdit={() => setIsEdited(true)} />}
    </article>
  );
});

/** Renders a message that only this person sees. */
export const EphemeralView = memo(function EphemeralView({ message }: { message: Ephemeral }): ReactNode {
  const { app } = useViewer();
  return (
    <PrivateMessage author={app.name} bot ts={message.ts}>
      <Content content={message} edited={false} />
    </PrivateMessage>
  );
});

export function NoteView({ note }: { note: Note }): ReactNode {
  return (
    <PrivateMessage author="Slackbot" bot={false} ts={note.ts}>
      <p role="status">{note.text}</p>
    </PrivateMessage>
  );
}

function PrivateMessage(props: { author: string; bot: boolean; ts: string; children: ReactNode }): ReactNode {
  return (
    <article
      className="message ephemeral"
      data-ts={props.ts}
      tabIndex={-1}
      aria-label="Message only visible to you"
    >
      <Avatar name={props.author} bot={props.bot} />
      <div className="message-main">
        <p className="only-you quiet small">Only visible to you</p>
        <MessageHead author={props.author} bot={props.bot} ts={props.ts} />
        {props.children}
      </div>
    </article>
  );
}

/** Renders the first line of a message: who wrote it, and when. */
export function MessageHead(props: {
  author: string;
  bot: boolean;
  ts: string;
  /** For screen readers only. */
  hidden?: boolean;
}): ReactNode {
  return (
    <p className={props.hidden ? 'message-head sr-only' : 'message-head'}>
      <strong>{props.author}</strong>
      {props.bot && <span className="app-badge">App</span>}
      <Time ts={props.ts} />
    </p>
  );
}

function Time({ ts }: { ts: string }): ReactNode {
  const { zone } = useViewer();
  const seconds = Number(ts);
  return (
    <time title={formatDate('{date_long} at {time_secs}', seconds, zone)}>
      {formatTime(new Date(seconds * 1000), zone)}
    </time>
  );
}

/** Renders the time of a message without a head, in place of the picture while the message is hovered. */
function GutterTime({ ts }: { ts: string }): ReactNode {
  const { zone } = useViewer();
  const text = formatTime(new Date(Number(ts) * 1000), zone).replace(/ [AP]M$/, '');
  return (
    <span className="gutter-time" aria-hidden="true">
      {text}
    </span>
  );
}

function ThreadLink({ message }: { message: Message }): ReactNode {
  const session = useSession();
  const viewer = useViewer();
  const { replies } = message;
  const last = replies.at(-1);
  if (last === undefined) return null;
  const authors = [...new Set(replies.map(({ user }) => user))].slice(0, 4);
  return (
    <div className="thread-line">
      {authors.map((id) => (
        <Avatar key={id} name={viewer.userName(id)} bot={id === viewer.app.bot_user_id} />
      ))}
      <button type="button" className="thread-link" onClick={() => session.openThread(message.ts)}>
        {replies.length} {replies.length === 1 ? 'reply' : 'replies'}
      </button>
      <span className="quiet small">Last reply {formatDate('{ago}', Number(last.ts), viewer.zone)}</span>
    </div>
  );
}
