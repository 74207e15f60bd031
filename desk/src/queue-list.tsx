import { useVirtualizer } from '@tanstack/react-virtual';
import { Check, Eye, TriangleAlert } from 'lucide-react';
import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { Key, Rating } from './controls.tsx';
import { useDesk } from './desk.ts';
import type { Row, Verdict } from './protocol.ts';
import { noFilter } from './state.ts';
import { counted, due } from './words.ts';

const rowHeight = 54;
const typingMs = 250;

export function QueueList(): ReactNode {
  const { state, store, reading, visit } = useDesk();
  const { order, more, newer, selected, current, isLoading } = state;
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
  useEffect(() => reading.ensureRows(first - 20, last + 40), [reading, first, last]);

  const at = current === undefined ? -1 : order.indexOf(current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another task is shown, not whenever the list moves
  useEffect(() => {
    if (at !== -1) list.scrollToIndex(at, { align: 'auto' });
  }, [at]);

  return (
    <nav className="queue" aria-label="Queue">
      <header className="head line">
        <h2>Queue</h2>
        <span className="quiet grow">{isLoading ? '' : (order.length + more).toLocaleString('en')}</span>
        {newer && (
          <button type="button" className="button small news" onClick={reading.showNewer}>
            {counted(newer.added, 'new task')} · Show
          </button>
        )}
      </header>
      <Filters />
      <div className="scroll grow" ref={scroll}>
        {order.length === 0 && (
          <p className="empty quiet">
            {isLoading
              ? 'Loading…'
              : state.filter === noFilter
                ? 'No tasks are waiting.'
                : 'No waiting tasks match.'}
          </p>
        )}
        <ol style={{ height: list.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const task = order[index] ?? '';
            return (
              <li
                key={task}
                style={{ transform: `translateY(${start}px)` }}
                aria-setsize={order.length}
                aria-posinset={index + 1}
              >
                <QueueRow
                  row={store.rows.get(task)}
                  task={task}
                  isCurrent={task === current}
                  isReachable={index === Math.max(0, at)}
                  isSelected={selected.has(task)}
                  isGone={store.gone.has(task)}
                  rating={store.rating(task)}
                  lookedAtBy={reading.lookedAtBy(task)}
                  minute={Math.floor(store.now() / 60_000)}
                  onOpen={visit}
                />
              </li>
            );
          })}
        </ol>
        {more > 0 && <p className="empty quiet">{counted(more, 'more task')} after these</p>}
      </div>
    </nav>
  );
}

const QueueRow = memo(function QueueRow(props: {
  readonly row: Row | undefined;
  readonly task: string;
  readonly isCurrent: boolean;
  /** One row is reached by Tab, the others by J and K. */
  readonly isReachable: boolean;
  readonly isSelected: boolean;
  readonly isGone: boolean;
  readonly rating: Verdict | undefined;
  readonly lookedAtBy: string | undefined;
  readonly minute: number;
  readonly onOpen: (task: string) => void;
}): ReactNode {
  const { row, task, isSelected, isGone, rating, lookedAtBy } = props;
  if (!row) return <div className="row quiet">{isGone ? 'No longer waiting' : '…'}</div>;
  const time = row.dueAt === undefined || isGone ? undefined : due(row.dueAt, props.minute * 60_000);
  return (
    <button
      type="button"
      className={`row ${isSelected ? 'selected' : ''} ${rating || isGone ? 'rated' : ''}`}
      aria-current={props.isCurrent ? 'true' : undefined}
      tabIndex={props.isReachable ? 0 : -1}
      onClick={() => props.onOpen(task)}
    >
      <span className="line">
        {isSelected && <Check size={13} aria-label="Selected" />}
        <strong className="clip">{row.worker}</strong>
        <span className="quiet clip">
          {row.country}
          {row.round > 1 && ` · Round ${row.round}`}
        </span>
      </span>
      <span className={`marks ${time?.tone}`}>
        {rating ? (
          <Rating verdict={rating} />
        ) : isGone ? (
          'Gone'
        ) : (
          <span title={time?.long}>{time?.text}</span>
        )}
      </span>
      <span className="quiet clip">{row.campaign}</span>
      <span className="marks line quiet">
        {lookedAtBy && (
          <span title={`${lookedAtBy} is looking`}>
            <Eye size={13} aria-label={`${lookedAtBy} is looking`} />
          </span>
        )}
        {row.assignedTo && <span className="clip">{row.isMine ? 'You' : row.assignedTo}</span>}
        {row.hasEvidence && <TriangleAlert size={13} className="urgent revise" aria-label="Has evidence" />}
      </span>
    </button>
  );
});

/** What the queue is narrowed to. Texts take effect when typing pauses. */
function Filters(): ReactNode {
  const { state, reading } = useDesk();
  const { filter, me } = state;
  const [typed, setTyped] = useState({ text: '', worker: '', country: '' });
  useEffect(() => {
    if (Object.entries(typed).every(([name, text]) => filter[name as keyof typeof typed] === text)) return;
    const timer = setTimeout(() => reading.filter(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed, filter, reading]);
  const field = (name: keyof typeof typed, label: string) => (
    <input
      id={name === 'text' ? 'search' : undefined}
      type="search"
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      value={typed[name]}
      onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
    />
  );
  return (
    <search className="filters">
      <div className="keyed">
        {field('text', 'Search')}
        <Key>/</Key>
      </div>
      <select
        aria-label="Campaign"
        value={filter.campaign}
        onChange={({ target }) => reading.filter({ campaign: target.value })}
      >
        <option value="">All campaigns</option>
        {me?.campaigns.map(({ id, title, waiting }) => (
          <option key={id} value={id}>
            {title} ({waiting.toLocaleString('en')})
          </option>
        ))}
      </select>
      <div className="line">
        {field('worker', 'Worker')}
        {field('country', 'Country')}
        <button
          type="button"
          className="button"
          aria-pressed={filter.isMine}
          onClick={() => reading.filter({ isMine: !filter.isMine })}
        >
          Mine
        </button>
      </div>
    </search>
  );
}
