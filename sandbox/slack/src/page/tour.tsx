import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Channel, Message, TourStep } from '../model.ts';

const storageKey = 'sandbox.tour';

/** How many messages of each channel are searched for the end of a step: steps affect only the newest ones. */
const lookedAt = 60;

/**
 * Renders the tour on a person's first visit in this browser, beside the page, which stays usable. The tour can be left at
 * any step, and is not shown again.
 */
export function Tour(props: { steps: TourStep[]; channels: Channel[]; me: string }): ReactNode {
  const { steps, channels, me } = props;
  const [number, setNumber] = useState(() => (window.localStorage.getItem(storageKey) === null ? 0 : -1));
  const box = useRef<HTMLElement>(null);
  const step = steps[number];
  const isDone = useDone(step, channels, me);
  const isLast = number === steps.length - 1;
  useEffect(() => {
    if (number > 0 && step) box.current?.focus({ preventScroll: true });
  }, [number, step]);
  if (step === undefined) return null;

  const leave = (): void => {
    window.localStorage.setItem(storageKey, 'seen');
    setNumber(-1);
    document.querySelector<HTMLElement>('main textarea')?.focus();
  };
  const waits = step.until !== undefined && !isDone;
  return (
    <section
      ref={box}
      className="tour"
      aria-label={`Tour, step ${number + 1} of ${steps.length}`}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        leave();
      }}
    >
      {step.at && <style>{`${step.at} { outline: 3px solid var(--blue); outline-offset: 2px; }`}</style>}
      <div role="status">
        <h2>{isDone ? (step.done ?? step.title) : step.title}</h2>
        {!isDone && <p>{step.text}</p>}
      </div>
      <footer>
        <span className="quiet small">
          {number + 1} of {steps.length}
        </span>
        {!(isLast && isDone) && (
          <button type="button" className="button" onClick={leave}>
            Leave the tour
          </button>
        )}
        {!waits && (
          <button
            type="button"
            className="button primary"
            onClick={() => (isLast ? leave() : setNumber(number + 1))}
          >
            {isLast ? 'Done' : 'Next'}
          </button>
        )}
      </footer>
    </section>
  );
}

/** Returns whether a message of the app contains the text that ends the step, and did not when the step began. */
function useDone(step: TourStep | undefined, channels: Channel[], me: string): boolean {
  const wanted = step?.until?.replace('{me}', `<@${me}>`);
  const before = useRef<{ wanted: string; said: ReadonlySet<string> }>(undefined);
  const done = useRef<string>(undefined);
  if (wanted === undefined) return false;
  const said = saying(channels, wanted);
  if (before.current?.wanted !== wanted) before.current = { wanted, said };
  if ([...said].some((place) => !before.current?.said.has(place))) done.current = wanted;
  return done.current === wanted;
}

const texts = new WeakMap<Message, string>();

function saying(channels: Channel[], wanted: string): ReadonlySet<string> {
  const found = channels
    .flatMap(({ messages }) => messages.slice(-lookedAt))
    .filter((message) => {
      const text = texts.get(message) ?? JSON.stringify([message.text, message.blocks]);
      texts.set(message, text);
      return text.includes(wanted);
    });
  return new Set(found.map(({ channel, ts }) => `${channel}:${ts}`));
}
