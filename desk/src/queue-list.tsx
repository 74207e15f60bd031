import { useVirtualizer } from '@tanstack/react-virtual';
import { Check, Eye, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Key, Rating, useDesk } from './controls.tsx';
import { due } from './words.ts';

const rowHeight = 54;

export function QueueList(): ReactNode {
  const { state, reading } = useDesk();
  const { order, current = '', isLoading } = state;
  const scroll = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const shown = list.getVirtualItems();
  const [first = 0, last = 0] = [shown[0]?.index, shown.at(-1)?.index];
  // A little ahead of what is seen.
  useEffect(() => reading.sees(first - 20, last + 40), [reading, first, last]);

  const at = order.indexOf(current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another task is shown, not whenever the list moves
  useEffect(() => {
    if (at !== -1) list.scrollToIndex(at, { align: 'auto' });
  }, [at]);

  return (
    <nav id="queue" tabIndex={-1} aria-label="Queue">
      <header className="line">
        <h2>Queue</h2>
        <span className="quiet">
          {order.length.toLocaleString('en') + (order.length < 10_000 ? '' : '+')}
        </span>
      </header>
      <Filters />
      <div className="scroll grow" ref={scroll}>
        {order.length === 0 && (
          <p className="empty quiet">{isLoading ? 'Loading…' : 'No waiting tasks match.'}</p>
        )}
        <ol style={{ height: list.getTotalSize(), paddingTop: shown[0]?.start }}>
          {shown.map(({ index }) => (
            <li key={order[index]} aria-setsize={order.length} aria-posinset={index + 1}>
              <QueueRow at={index} isReached={index === Math.max(0, at)} />
            </li>
          ))}
        </ol>
      </div>
    </nav>
  );
}

function QueueRow({ at, isReached }: { readonly at: number; readonly isReached: boolean }): ReactNode {
  const { state, store, visit } = useDesk();
  const task = state.order[at] ?? '';
  const row = store.rows.get(task);
  if (!row) return <p className="row quiet">{store.isGone(task) ? 'No longer waiting' : '…'}</p>;
  const rating = store.rating(task);
  const isSelected = state.selected.has(task);
  const time = due(row.dueAt, store.now());
  return (
    <button
      type="button"
      className={`row ${rating ? 'quiet' : ''}`}
      aria-current={task === state.current}
      aria-pressed={isSelected}
      // The others are reached by J and K.
      tabIndex={isReached ? 0 : -1}
      onClick={() => visit(task)}
    >
      <span className="line">
        {isSelected && <Check size={13} aria-hidden="true" />}
        <strong className="clip">{row.worker}</strong>
        <span className="quiet clip">
          {row.country}
          {row.round > 1 && ` · Round ${row.round}`}
        </span>
      </span>
      <span className={time?.tone}>{rating ? <Rating verdict={rating} /> : time?.text}</span>
      <span className="quiet clip">{row.campaign}</span>
      <span className="line quiet">
        {row.lookedAtBy && <Eye size={13} aria-label={`${row.lookedAtBy} is looking`} />}
        {row.assignedTo && <span className="clip">{row.isMine ? 'You' : row.assignedTo}</span>}
        {row.hasEvidence && <TriangleAlert size={13} className="toned revise" aria-label="Has evidence" />}
      </span>
    </button>
  );
}

/** What the queue is narrowed to: its fields, by name. */
function Filters(): ReactNode {
  const { state, reading } = useDesk();
  return (
    <form
      className="stack"
      aria-label="Filters"
      autoComplete="off"
      onSubmit={(event) => event.preventDefault()}
      onInput={({ currentTarget }) => {
        const fields = [...new FormData(currentTarget)].filter(([, value]) => value !== '');
        const { campaign, mine, ...typed } = Object.fromEntries(fields);
        reading.filter({ ...typed, ...(campaign && { campaigns: [campaign] }), ...(mine && { mine: true }) });
      }}
    >
      <p className="line">
        <input id="search" name="text" type="search" aria-label="Search" placeholder="Search" />
        <Key>/</Key>
      </p>
      <select name="campaign" aria-label="Campaign">
        <option value="">All campaigns</option>
        {state.me?.campaigns.map(({ id, title, waiting }) => (
          <option key={id} value={id}>
            {title} ({waiting.toLocaleString('en')})
          </option>
        ))}
      </select>
      <p className="line">
        <input name="worker" aria-label="Worker" placeholder="Worker" />
        <input name="country" aria-label="Country" placeholder="Country" />
        <label>
          <input name="mine" type="checkbox" value="1" /> Mine
        </label>
      </p>
    </form>
  );
}
