import { Plus, SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { SlashCommand } from '../model.ts';
import { act, failureText, timedOut } from './api.ts';
import { Menu } from './elements/menu.tsx';
import { useSession } from './session.ts';
import { escapeText } from './text/mrkdwn.ts';
import { useViewer } from './viewer.ts';

/** Renders the field for writing: Enter sends, Shift+Enter starts a line, `/` suggests the app's commands. */
export function Composer(props: { channel: string; name: string; thread?: string }): ReactNode {
  const { channel, thread } = props;
  const viewer = useViewer();
  const session = useSession();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [sending, setSending] = useState(false);
  const listId = useId();
  const suggestions = thread === undefined ? suggest(viewer.app.commands, text) : [];

  const send = async (): Promise<void> => {
    const written = text.trim();
    if (written === '') return;
    setText('');
    const command = /^(\/\S+)\s*([\s\S]*)$/.exec(written);
    setSending(true);
    const result = command
      ? await act('command', { user: viewer.as, channel, command: command[1], text: command[2] })
      : await act('message', {
          user: viewer.as,
          channel,
          text: escapeText(written),
          ...(thread ? { thread_ts: thread } : {}),
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
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const chosen = suggestions[active];
    if (suggestions.length > 0 && step !== 0) {
      event.preventDefault();
      setActive((active + step + suggestions.length) % suggestions.length);
    } else if (chosen && chosen.command !== text && (event.key === 'Tab' || event.key === 'Enter')) {
      event.preventDefault();
      complete(chosen);
    } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    }
  };
  const complete = (command: SlashCommand): void => {
    setText(`${command.command} `);
    setActive(0);
  };

  return (
    <div className="composer" data-region="composer">
      {suggestions.length > 0 && (
        <div role="listbox" tabIndex={-1} id={listId} aria-label="Commands" className="suggestions">
          {suggestions.map((command, index) => (
            <button
              key={command.command}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={index === active ? 'active' : ''}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => complete(command)}
            >
              <strong>{command.command}</strong> <span className="quiet">{command.usage_hint}</span>
              <small>{command.description}</small>
            </button>
          ))}
        </div>
      )}
      <div className="composer-box">
        {thread === undefined && <ShortcutButton channel={channel} />}
        <textarea
          rows={Math.min(8, text.split('\n').length)}
          aria-label={thread ? 'Reply' : `Message ${props.name}`}
          aria-controls={suggestions.length > 0 ? listId : undefined}
          placeholder={thread ? 'Reply…' : `Message ${props.name}`}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
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
    </div>
  );
}

/** Returns the commands that begin with what is typed; none once arguments follow. */
function suggest(commands: SlashCommand[], text: string): SlashCommand[] {
  if (!/^\/\S*$/.test(text)) return [];
  return commands.filter(({ command }) => command.startsWith(text.toLowerCase()));
}

/** The app's global shortcuts. */
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
