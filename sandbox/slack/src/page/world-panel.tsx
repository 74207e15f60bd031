import { X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { LoggedRequest } from '../model.ts';
import { ProcessButtons } from './process-buttons.tsx';

const readEveryMs = 1_500;
const mostRequests = 60;

/** The faults that can be injected into the app's calls, until they are cleared. */
const faults = [
  { name: 'Away', fault: { kind: '500', times: 0 } },
  { name: 'Slow', fault: { kind: 'latency', times: 0, delayMs: 3_000 } },
  { name: 'Rate limits', fault: { kind: '429', times: 0, retryAfter: 5 } },
  { name: 'Drops calls', fault: { kind: 'drop-after', times: 0, probability: 0.5 } },
] as const;

/** Renders the world panel: the page about the world outside Slack, the requests between Slack and the app, and faults. */
export function WorldPanel(props: { panel: string; processes: string; onClose: () => void }): ReactNode {
  const { panel, processes, onClose } = props;
  const [tab, setTab] = useState<'world' | 'slack'>(panel === '' ? 'slack' : 'world');
  return (
    <aside className="thread world" aria-label="World" data-region="world">
      <header className="bar">
        <h2>World</h2>
        {panel !== '' && (
          <div className="tabs">
            {(['world', 'slack'] as const).map((name) => (
              <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
                {name === 'world' ? 'Marketplace' : 'Slack'}
              </button>
            ))}
          </div>
        )}
        <button type="button" className="icon-button" aria-label="Close world" onClick={onClose}>
          <X size={20} aria-hidden="true" />
        </button>
      </header>
      {processes !== '' && <ProcessButtons address={processes} />}
      {tab === 'world' ? <iframe title="Marketplace" src={panel} /> : <SlackSide />}
    </aside>
  );
}

function SlackSide(): ReactNode {
  const [broken, setBroken] = useState<string>();
  const requests = useRequests();
  const breakIt = async (name: string | undefined): Promise<void> => {
    await fetch('/_sandbox/faults', { method: 'DELETE' });
    const chosen = faults.find((item) => item.name === name);
    if (chosen) {
      await fetch('/_sandbox/faults', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(chosen.fault),
      });
    }
    setBroken(name);
  };
  return (
    <div className="slack-side">
      <h3>Break it</h3>
      <div className="actions">
        {faults.map(({ name }) => (
          <button
            key={name}
            type="button"
            className="button"
            aria-pressed={broken === name}
            onClick={() => void breakIt(name)}
          >
            {name}
          </button>
        ))}
        <button type="button" className="button" onClick={() => void breakIt(undefined)}>
          Mend
        </button>
      </div>
      <h3>What each asked the other</h3>
      <ol>
        {requests.map((request) => (
          <li key={request.n}>
            <strong>
              {request.direction === 'in' ? 'App → Slack' : 'Slack → app'} {request.method}
            </strong>
            <span className={request.ok === false ? 'problem' : 'quiet small'}>
              {new Date(request.at).toLocaleTimeString('en-US')} · {answerOf(request)}
            </span>
          </li>
        ))}
      </ol>
      {requests.length === 0 && <p className="quiet">Nothing yet.</p>}
    </div>
  );
}

function answerOf({ ok, error, ms, fault }: LoggedRequest): string {
  const answer = ok === undefined ? 'no answer yet' : ok ? 'ok' : (error ?? 'failed');
  return [answer, ms === undefined ? '' : `${Math.round(ms)} ms`, fault && `fault: ${fault}`]
    .filter(Boolean)
    .join(' · ');
}

/** Returns the latest requests, newest first. */
function useRequests(): LoggedRequest[] {
  const [requests, setRequests] = useState<LoggedRequest[]>([]);
  useEffect(() => {
    let known: LoggedRequest[] = [];
    const read = async (): Promise<void> => {
      // Includes the last known request, which may have been answered since.
      const since = Math.max(0, (known[0]?.n ?? 1) - 1);
      const answer = await fetch(`/_sandbox/requests?since=${since}`);
      const log = (await answer.json()) as { requests: LoggedRequest[] };
      const first = log.requests[0]?.n ?? Number.POSITIVE_INFINITY;
      known = [...log.requests.reverse(), ...known.filter(({ n }) => n < first)].slice(0, mostRequests);
      setRequests(known);
    };
    const ignore = (): void => {};
    void read().catch(ignore);
    const timer = setInterval(() => void read().catch(ignore), readEveryMs);
    return () => clearInterval(timer);
  }, []);
  return requests;
}
