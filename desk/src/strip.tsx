import { type ReactNode, useEffect, useState } from 'react';
import { Rating } from './controls.tsx';
import { useDesk } from './desk.ts';
import type { Decision } from './state.ts';
import { counted } from './words.ts';

const mostShown = 30;

/** The latest decisions, with their undo, and how the connection is. */
export function Strip(): ReactNode {
  const { state, deciding } = useDesk();
  const { ended, isConnected, notice, decisions } = state;
  const unsent = deciding.unsent();
  const isLost = unsent.isFailing || !isConnected;
  const count = counted(unsent.decisions, 'decision');
  const [wait, are] = unsent.decisions === 1 ? ['waits', 'is'] : ['wait', 'are'];
  const problem = ended
    ? `${ended} ${unsent.decisions > 0 ? `${count} not sent.` : ''}`
    : unsent.decisions > 0
      ? `Not connected. ${count} ${wait} here and ${are} sent when the connection is back.`
      : 'Not connected. What you do is sent when the connection is back.';
  return (
    <footer className="strip line">
      {ended || isLost ? (
        <p className="badge toned revise" role="alert">
          {problem}
        </p>
      ) : (
        notice.isShown && <p>{notice.text}</p>
      )}
      <ol className="line grow" aria-label="Latest decisions">
        {decisions.slice(0, mostShown).map((decision) => (
          <Shown key={decision.id} decision={decision} />
        ))}
      </ol>
    </footer>
  );
}

function Shown({ decision }: { readonly decision: Decision }): ReactNode {
  const { visit, deciding } = useDesk();
  const { verdict, worker, state, sentence, comment, task, made } = decision;
  const left = useSecondsLeft(state === 'done' && !made?.isHeld ? made?.undoUntil : undefined);
  const isMissed = state === 'missed';
  return (
    <li className="line">
      <button type="button" className="line" title={sentence} onClick={() => visit(task)}>
        <Rating verdict={verdict} isSure={state === 'done'} /> {worker}
        {state !== 'done' && (
          <span className={isMissed ? 'urgent nok' : 'quiet'}>{isMissed ? sentence : state}</span>
        )}
      </button>
      {deciding.canUndo(decision) && (
        <button
          type="button"
          className="link"
          aria-label={`Undo ${verdict} for ${worker}`}
          onClick={() => deciding.undo(decision)}
        >
          Undo {left > 0 && <span className="quiet">{left} s</span>}
        </button>
      )}
      {isMissed && comment !== '' && (
        <button type="button" className="link" onClick={() => deciding.showText(decision)}>
          Show your text
        </button>
      )}
    </li>
  );
}

/** Returns the whole seconds until a time by the bot's clock, and draws again as they pass. */
function useSecondsLeft(until = 0): number {
  const { store } = useDesk();
  const [, tick] = useState(0);
  const left = Math.max(0, Math.ceil((until - store.now()) / 1000));
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => tick((count) => count + 1), 1000);
    return () => clearTimeout(timer);
  });
  return left;
}
