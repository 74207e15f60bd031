import { type ReactNode, useEffect, useState } from 'react';

const readEveryMs = 1_500;

interface Process {
  readonly name: string;
  readonly isRunning: boolean;
  readonly acts: readonly string[];
}

interface Answer {
  readonly processes: readonly Process[];
  readonly error?: string;
}

/** Renders buttons that kill and start the app's processes, if there is a server for that. */
export function ProcessButtons({ address }: { address: string }): ReactNode {
  const [processes, setProcesses] = useState<readonly Process[]>([]);
  const [busy, setBusy] = useState<string>();
  const [said, setSaid] = useState('');
  useEffect(() => {
    const read = (): void => void ask(address).then((answer) => setProcesses(answer.processes), ignore);
    read();
    const timer = setInterval(read, readEveryMs);
    return () => clearInterval(timer);
  }, [address]);

  const run = async (process: Process, act: string): Promise<void> => {
    setBusy(`${process.name} ${act}`);
    const answer = await ask(`${address}/${process.name}/${act}`, 'POST').catch(() => undefined);
    setBusy(undefined);
    if (answer) setProcesses(answer.processes);
    const what = act === 'kill' ? 'killed' : 'started';
    setSaid(answer && !answer.error ? `The ${process.name} was ${what}.` : 'That did not work.');
  };
  return (
    <div className="processes">
      <div className="actions">
        {processes.flatMap((process) =>
          process.acts
            .filter((act) => (act === 'start') !== process.isRunning)
            .map((act) => (
              <button
                key={`${process.name} ${act}`}
                type="button"
                className={act === 'kill' ? 'button danger' : 'button'}
                aria-busy={busy === `${process.name} ${act}`}
                disabled={busy !== undefined}
                onClick={() => void run(process, act)}
              >
                {act === 'kill' ? 'Kill' : 'Start'} the {process.name}
              </button>
            )),
        )}
      </div>
      <p role="status" className="quiet small">
        {said}
      </p>
    </div>
  );
}

async function ask(address: string, method: 'GET' | 'POST' = 'GET'): Promise<Answer> {
  const response = await fetch(address, { method });
  return (await response.json()) as Answer;
}

function ignore(): void {}
