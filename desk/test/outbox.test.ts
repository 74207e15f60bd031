import { describe, expect, test } from 'vitest';
import { Refused, Unreachable } from '../src/client.ts';
import { type Act, createOutbox } from '../src/outbox.ts';

/** An outbox whose waiting is counted and over at once, and acts that are answered as told. */
function outboxOf() {
  const waits: number[] = [];
  const sent: string[] = [];
  const refused: string[] = [];
  const outbox = createOutbox(
    () => {},
    async (ms) => void waits.push(ms),
  );
  const act = (name: string, ...answers: (Error | Promise<void>)[]): Act => ({
    decisions: [name],
    send: async () => {
      sent.push(name);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      await answer;
    },
    refuse: (sentence) => void refused.push(`${name}: ${sentence}`),
  });
  return { outbox, act, waits, sent, refused, empty: () => expect.poll(() => outbox.state().unsent).toBe(0) };
}

describe('the outbox', () => {
  test('sends in the order of the presses, one after the other', async () => {
    const { outbox, act, sent, empty } = outboxOf();
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    outbox.add(act('first', promise));
    outbox.add(act('second'));
    expect(sent).toEqual(['first']);
    resolve();
    await empty();
    expect(sent).toEqual(['first', 'second']);
  });

  test('sends the same again until it is answered, later each time, and keeps the order', async () => {
    const { outbox, act, sent, waits, empty } = outboxOf();
    outbox.add(act('first', ...Array.from({ length: 7 }, () => new Unreachable())));
    outbox.add(act('second'));
    expect(outbox.state()).toMatchObject({ unsent: 2, decisions: 2 });
    await empty();
    expect(sent).toEqual([...Array.from({ length: 8 }, () => 'first'), 'second']);
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    expect(outbox.state().isFailing).toBe(false);
  });

  test('goes on after a no, which it says', async () => {
    const { outbox, act, refused, sent, empty } = outboxOf();
    outbox.add(act('first', new Refused(400, 'Write the reason.')));
    outbox.add(act('second'));
    await empty();
    expect(refused).toEqual(['first: Write the reason.']);
    expect(sent).toEqual(['first', 'second']);
  });

  test('gives an act up that is answered by an error again and again, and goes on', async () => {
    const { outbox, act, refused, sent, empty } = outboxOf();
    outbox.add(act('first', ...Array.from({ length: 9 }, () => new Unreachable(500))));
    outbox.add(act('second'));
    await empty();
    expect(refused).toEqual(['first: Proofdesk couldn’t do this. Try again.']);
    expect(sent).toEqual([...Array.from({ length: 6 }, () => 'first'), 'second']);
  });

  test('stops when the session has ended, and keeps what is unsent', async () => {
    const { outbox, act, sent } = outboxOf();
    outbox.add(act('first', new Refused(401, 'The session has ended.')));
    outbox.add(act('second'));
    await expect.poll(() => sent).toEqual(['first']);
    await new Promise((resolve) => setTimeout(resolve));
    expect(outbox.state()).toMatchObject({ unsent: 2, decisions: 2 });
    expect(sent).toEqual(['first']);
  });

  test('takes back only what was never sent', async () => {
    const { outbox, act, sent, empty } = outboxOf();
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    const [first, second] = [act('first', promise), act('second')];
    outbox.add(first);
    outbox.add(second);
    expect(outbox.drop(['first'])).toBe(false);
    expect(outbox.drop(['second'])).toBe(true);
    resolve();
    await empty();
    expect(sent).toEqual(['first']);
  });

  test('sends at once when it is woken', async () => {
    const sent: number[] = [];
    const outbox = createOutbox(() => {});
    outbox.add({
      decisions: ['one'],
      refuse: () => {},
      send: async () => {
        if (sent.push(Date.now()) === 1) throw new Unreachable();
      },
    });
    await expect.poll(() => outbox.state().isFailing).toBe(true);
    outbox.wake();
    await expect.poll(() => outbox.state().unsent, { interval: 5 }).toBe(0);
    expect((sent[1] ?? 0) - (sent[0] ?? 0)).toBeLessThan(450);
  });
});
