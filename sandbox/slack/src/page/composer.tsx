import { Plus, SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { act, failureText, timedOut } from './api.ts';
import { sentText } from './completion.ts';
import { Menu } from './elements/menu.tsx';
import { useSession } from './session.ts';
import { Suggestions } from './suggestions.tsx';
import { useCompletion } from './use-completion.ts';
import { useViewer } from './viewer.ts';

/**
 * Renders the composer: Enter sends, Shift+Enter starts a line; `/` suggests the app's commands, `@` people, `#`
 * channels, `:` emoji.
 */
export function Composer(props: { channel: string; name: string; thread?: string }): ReactNode {
  const { channel, thread } = props;
  const viewer = useViewer();
  const session = useSession();
  const [text, setText] = useState('');
  const [sending, setSending] = useState(false);
  const [isBroadcast, setIsBroadcast] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const completing = useCompletion(field, text, setText, thread === undefined ? viewer.app.commands : []);
  const { completion, active, listId } = completing;

  const send = async (): Promise<void> => {
    const written = text.trim();
    if (written === '') return;
    const message = sentText(written, completing.chosen());
    setText('');
    completing.forget();
    setIsBroadcast(false);
    const command = /^(\/\S+)\s*([\s\S]*)$/.exec(written);
    setSending(true);
    const result = command
      ? await act('command', { user: viewer.as, channel, command: command[1], text: command[2] })
      : await act('message', {
          user: viewer.as,
          channel,
          text: message,
          ...(thread ? { thread_ts: thread, reply_broadcast: isBroadcast } : {}),
        });
    setSending(false);
    const problem = failureText(result, command?.[1] ?? 'The workspace');
    if (command && timedOut(result)) {
      session.notify(channel, `${command[1]} failed because the app did not respond: operation timed out.`);
    } else if (problem) {
      session.notify(channel, problem, thread);
    }
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (completing.onKeyDown(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    }
  };

  return (
    <div className="composer" data-region="composer">
      {completion && (
        <Suggestions id={listId} completion={completion} active={active} onChoose={completing.choose} />
      )}
      <div className="composer-box">
        {thread === undefined && <ShortcutButton channel={channel} />}
        <textarea
          ref={field}
          rows={Math.min(8, text.split('\n').length)}
          aria-label={thread ? 'Reply' : `Message ${props.name}`}
          aria-controls={completion ? listId : undefined}
          aria-activedescendant={completion ? `${listId}-${active}` : undefined}
          aria-autocomplete="list"
          placeholder={thread ? 'Reply…' : `Message ${props.name}`}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            completing.onTyped(event.target);
          }}
          onKeyDown={onKeyDown}
          onBlur={completing.close}
        />
        <button
          type="button"
          className="button primary send"
          aria-label={thread ? 'Send reply' : 'Send'}
          aria-busy={sending}
          disabled={text.trim() === ''}
          onClick={() => void send()}
        >
          <SendHorizontal size={17} aria-hidden="true" />
        </button>
      </div>
      {thread !== undefined && (
        <label className="also-send small">
          <input
            type="checkbox"
            checked={isBroadcast}
            onChange={(event) => setIsBroadcast(event.target.checked)}
          />{' '}
          Also send to #{props.name}
        </label>
      )}
    </div>
  );
}

/** Renders the menu of the app's global shortcuts. */
function ShortcutButton({ channel }: { channel: string }): ReactNode {
  const viewer = useViewer();
  const session = useSession();
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const run = async (callbackId: string): Promise<void> => {
    const result = await act('shortcut', { user: viewer.as, callback_id: callbackId });
    const problem = failureText(result, viewer.app.name);
    if (problem) session.notify(channel, problem);
  };
  return (
    <>
      <button
        type="button"
        ref={anchor}
        className="icon-button"
        aria-label="Shortcuts"
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Plus size={18} aria-hidden="true" />
      </button>
      {open && (
        <Menu
          anchor={anchor}
          label="Shortcuts"
          entries={viewer.app.shortcuts
            .filter((shortcut) => shortcut.type === 'global')
            .map((shortcut) => ({
              name: shortcut.name,
              note: shortcut.description,
              onChoose: () => void run(shortcut.callback_id),
            }))}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
