import { type ReactNode, useState } from 'react';
import type { Message } from '../model.ts';
import { act, failureText } from './api.ts';
import { useSession } from './session.ts';
import { escapeText, unescapeText } from './text/mrkdwn.ts';
import { useViewer } from './viewer.ts';

/** Renders the field for editing one's own message: Enter saves, Escape cancels. */
export function EditMessage({ message, onDone }: { message: Message; onDone: () => void }): ReactNode {
  const viewer = useViewer();
  const session = useSession();
  const [text, setText] = useState(unescapeText(message.text));
  const save = async (): Promise<void> => {
    onDone();
    if (text.trim() === '' || text === unescapeText(message.text)) return;
    const { channel, ts } = message;
    const body = { user: viewer.as, channel, ts, text: escapeText(text.trim()) };
    const problem = failureText(await act('edit', body), 'The workspace');
    if (problem) session.notify(channel, problem);
  };
  return (
    <form
      className="edit-box"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person asked to edit this message
        autoFocus
        aria-label="Edit message"
        className="input"
        rows={Math.min(8, text.split('\n').length)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            onDone();
          } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            void save();
          }
        }}
      />
      <div className="actions">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button type="submit" className="button primary">
          Save
        </button>
      </div>
    </form>
  );
}
