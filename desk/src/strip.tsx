import { type ReactNode, useEffect, useState } from 'react';
import { Rating } from './controls.tsx';
import { useDesk } from './desk.ts';
import type { Decision } from './state.ts';
import { counted } from './words.ts';

const mostShown = 30;

/** The latest decisions, with their undo, and how the connection is. */
export function Strip(): ReactNode {
  const { state, deciding } = useDesk();
  const unsent = deciding.unsent();
  const isLost = unsent.isFailing || !state.isConnected;
  const problem = state.ended
    ? endedSentence(state.ended, unsent)
    : isLost
      ? lostSentence(unsent)
      : undefined;
  return (
    <footer className={`strip line ${problem ? 'toned revise' : ''}`}>
      {problem ? <p role="alert">{problem}</p> : state.notice.isShown && <p>{state.notice.text}</p>}
      <ol className="decisions line grow" aria-label="Latest decisions">
        {state.decisions.slice(0, mostShown).map((decision) => (
          <Shown key={decision.id} decision={decision} />
        ))}
      </ol>
    </footer>
  );
}

interface Unsent {
  readonly unsent: number;
  readonly decisions: number;
}

const endedSentence = (ended: string, { decisions }: Unsent) =>
  decisions > 0 ? `${ended} ${counted(decisions, 'decision')} not sent.` : ended;

function lostSentence({ unsent, decisions }: Unsent): string {
  if (unsent === 0) return 'Not connected. Changes are shown when the connection is back.';
  const [what, are] = decisions === 1 ? ['1 decision waits', 'is'] : [`${decisions} decisions wait`, 'are'];
  if (decisions === 0)
    return 'Not connected. What you did waits here and is sent when the connection is back.';
  return `Not connected. ${what} here and ${are} sent when the connection is back.`;
}

function Shown({ decision }: { readonly decision: Decision }): ReactNode {
  const { visit, deciding } = useDesk();
  const { verdict, worker, state, sentence, comment, task, made } = decision;
  const left = useSecondsLeft(state === 'done' && !made?.isHeld ? made?.undoUntil : undefined);
  const isMissed = state === 'missed';
  const word = { sending: 'sending', undoing: 'undoing', undone: 'undone', missed: sentence, done: '' }[
    state
  ];
  return (
    <li className={`line ${state}`}>
      <button type="button" className="line" title={sentence} onClick={() => visit(task)}>
        <Rating verdict={verdict} isSure={state === 'done'} /> {worker}
        {word && <span className={isMissed ? 'urgent nok' : 'quiet'}>{word}</span>}
      </button>
      {(state === 'sending' || left > 0 || (state === 'done' && made?.isHeld)) && (
        <button
          type="button"
          className="undo"
          aria-label={`Undo ${verdict} for ${worker}`}
          onClick={() => deciding.undo(decision)}
        >
          Undo{left > 0 && <span className="quiet"> {left} s</span>}
        </button>
      )}
      {isMissed && comment !== '' && (
        <button type="button" className="undo" onClick={() => deciding.showText(decision)}>
          Show your text
        </button>
      )}
    </li>
  );
}

/** Returns the whole seconds until a time by the bot's clock, and draws again as they pass. */
function useSecondsLeft(until: number | undefined): number {
  const { store } = useDesk();
  const [, tick] = useState(0);
  const left = until === undefined ? 0 : Math.max(0, Math.ceil((until - store.now()) / 1000));
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => tick((count) => count + 1), 1000);
    return () => clearTimeout(timer);
  });
  return left;
}
