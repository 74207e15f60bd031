import { expect, it } from 'vitest';
import { createDeadlines, type Deadline } from '../../src/marketplace/deadline.ts';

const ended = (deadline: Deadline) => new Promise<void>((resolve) => deadline.onEnd(resolve));

it('calls end in the order of their deadlines, not of their beginning, and a call that is done never does', async () => {
  const deadlines = createDeadlines();
  const order: string[] = [];
  const start = (name: string, ms: number) => {
    const deadline = deadlines.start(ms);
    deadline.onEnd(() => order.push(name));
    return deadline;
  };
  const late = start('late', 120);
  const done = start('done', 30);
  const early = start('early', 60);
  const restarted = start('restarted', 10);
  restarted.restart(90);
  done.dispose();
  await ended(late);
  expect(order).toEqual(['early', 'restarted', 'late']);
  expect([early, restarted, late].map((one) => one.endedBy())).toEqual(['timeout', 'timeout', 'timeout']);
  expect(done.endedBy()).toBeUndefined();
});

it('a caller ends its own call, and closing ends all that are left', async () => {
  const deadlines = createDeadlines();
  const caller = new AbortController();
  const own = deadlines.start(60_000, caller.signal);
  const other = deadlines.start(60_000);
  caller.abort();
  expect([own.endedBy(), other.endedBy()]).toEqual(['aborted', undefined]);
  own.dispose();
  deadlines.abortAll();
  await ended(other);
  expect(other.endedBy()).toBe('aborted');
  other.dispose();
});
