import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Failure } from '../src/client.ts';
import { createOutbox } from '../src/outbox.ts';
import type { Outcome } from '../src/protocol.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An outbox, and acts that are answered as told; when they were sent. */
function outboxOf() {
  const times: number[] = [];
  const sent: string[] = [];
  const refused: string[] = [];
  const outbox = createOutbox(() => {});
  /** Adds an act that makes a decision of its name, whose answers are these. */
  function add(name: string, ...answers: (Error | Promise<void>)[]): void {
    const send = async (): Promise<Outcome> => {
      sent.push(name);
      times.push(Date.now());
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      await answer;
      return { kind: 'done' };
    };
    void outbox.add({ id: name, send }).then(({ kind, sentence }) => {
      if (kind === 'missed') refused.push(`${name}: ${sentence}`);
    });
  }
  async function empty(): Promise<void> {
    await vi.runAllTimersAsync();
    expect(outbox.state().unsent).toBe(0);
  }
  return { outbox, add, times, sent, refused, empty };
}

describe('the outbox', () => {
  test('sends in the order of the presses, one after the other', async () => {
    const { add, sent, empty } = outboxOf();
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    add('first', promise);
    add('second');
    expect(sent).toEqual(['first']);
    resolve();
    await empty();
    expect(sent).toEqual(['first', 'second']);
  });

  test('sends the same again until it is answered, later each time, and keeps the order', async () => {
    const { outbox, add, sent, times, empty } = outboxOf();
    add('first', ...Array.from({ length: 7 }, () => new Failure(0)));
    add('second');
    expect(outbox.state()).toMatchObject({ unsent: 2 });
    await empty();
    expect(sent).toEqual([...Array.from({ length: 8 }, () => 'first'), 'second']);
    const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 0]);
    expect(outbox.state().isFailing).toBe(false);
  });

  test('goes on after a no, which it says', async () => {
    const { add, refused, sent, empty } = outboxOf();
    add('first', new Failure(400, 'Write the reason.'));
    add('second');
    await empty();
    expect(refused).toEqual(['first: Write the reason.']);
    expect(sent).toEqual(['first', 'second']);
  });

  test('gives an act up that is answered by an error again and again, and goes on', async () => {
    const { add, refused, sent, empty } = outboxOf();
    add('first', ...Array.from({ length: 9 }, () => new Failure(500)));
    add('second');
    await empty();
    expect(refused).toEqual(['first: Proofdesk couldn’t do this. Try again.']);
    expect(sent).toEqual([...Array.from({ length: 6 }, () => 'first'), 'second']);
  });

  test('stops when the session has ended, and keeps what is unsent', async () => {
    const { outbox, add, sent } = outboxOf();
    add('first', new Failure(401, 'The session has ended.'));
    add('second');
    await vi.runAllTimersAsync();
    expect(outbox.state()).toMatchObject({ unsent: 2 });
    expect(sent).toEqual(['first']);
  });

  test('takes back only what was never sent', async () => {
    const { outbox, add, sent, empty } = outboxOf();
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    add('first', promise);
    add('second');
    expect(outbox.drop('first')).toBe(false);
    expect(outbox.drop('second')).toBe(true);
    resolve();
    await empty();
    expect(sent).toEqual(['first']);
  });

  test('sends at once when it is woken', async () => {
    const { outbox, add, sent } = outboxOf();
    add('first', new Failure(0));
    await vi.advanceTimersByTimeAsync(100);
    expect(outbox.state().isFailing).toBe(true);
    outbox.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(['first', 'first']);
  });
});
