import type { FeedbackButtons, IconButton, WorkflowButton } from '@slack/types';
import { ThumbsDown, ThumbsUp, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { plainText } from '../text/text.tsx';
import { useViewer } from '../viewer.ts';
import { type ElementProps, useElement } from './use-element.ts';

/** Renders the two buttons for rating an answer. The pressed one stays pressed. */
export function FeedbackElement(props: ElementProps<FeedbackButtons>): ReactNode {
  const { positive_button, negative_button } = props.element;
  const handle = useElement(props);
  const [pressed, setPressed] = useState<string>();
  return [
    { button: positive_button, Icon: ThumbsUp },
    { button: negative_button, Icon: ThumbsDown },
  ].map(({ button, Icon }) => (
    <button
      key={button.value}
      type="button"
      className="button with-icon"
      aria-label={button.accessibility_label}
      aria-pressed={pressed === button.value}
      aria-busy={handle.busy}
      onClick={() => {
        if (handle.busy) return;
        setPressed(button.value);
        handle.send({ value: button.value });
      }}
    >
      <Icon size={15} aria-hidden="true" />
      {plainText(button.text.text, button.text.emoji)}
    </button>
  ));
}

/** Renders a button with an icon, of which Slack has one so far. Only the people that the element names see it. */
export function IconButtonElement(props: ElementProps<IconButton>): ReactNode {
  const { element } = props;
  const { as } = useViewer();
  const handle = useElement(props);
  const seenBy = element.visible_to_user_ids;
  if (seenBy && seenBy.length > 0 && !seenBy.includes(as)) return null;
  return (
    <button
      type="button"
      className="button with-icon"
      aria-label={element.accessibility_label}
      aria-busy={handle.busy}
      onClick={() => handle.busy || handle.send(element.value === undefined ? {} : { value: element.value })}
    >
      {element.icon === 'trash' && <Trash2 size={15} aria-hidden="true" />}
      {plainText(element.text.text, element.text.emoji)}
    </button>
  );
}

/** Renders a workflow button, which says that the sandbox has no workflows. */
export function WorkflowButtonElement({ element }: ElementProps<WorkflowButton>): ReactNode {
  return (
    <button
      type="button"
      className={`button ${element.style ?? ''}`}
      aria-label={element.accessibility_label}
      aria-disabled="true"
      title="There are no workflows in this workspace"
    >
      {plainText(element.text.text, element.text.emoji)}
    </button>
  );
}
