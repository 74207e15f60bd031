import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLoader } from '../src/loader.ts';

/** A loader of two at a time, whose answers are given by hand. */
function loaderOf() {
  const known = new Map<string, string>();
  const asked: string[] = [];
  const aborted: string[] = [];
  const released: string[] = [];
  const answers = new Map<string, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  const loader = createLoader<string, string>({
    mostAtOnce: 2,
    known,
    loaded: () => {},
    release: (value) => void released.push(value),
    load: (key, signal) => {
      asked.push(key);
      signal.addEventListener('abort', () => aborted.push(key));
      return new Promise((resolve, reject) => answers.set(key, { resolve, reject }));
    },
  });
  return {
    ...loader,
    known,
    asked,
    aborted,
    released,
    wants: (...keys: string[]) => loader.keep(new Map(keys.map((key) => [key, key]))),
    async answers(key: string, value = key) {
      answers.get(key)?.resolve(value);
      await vi.advanceTimersByTimeAsync(0);
    },
    async fails(key: string) {
      answers.get(key)?.reject(new Error('unreachable'));
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the loader', () => {
  test('loads what is nearest first, a few at a time', async () => {
    const { wants, asked, answers, known } = loaderOf();
    wants('a', 'b', 'c', 'd');
    expect(asked).toEqual(['a', 'b']);
    await answers('b');
    expect(asked).toEqual(['a', 'b', 'c']);
    wants('e', 'a', 'b', 'c');
    await answers('a');
    expect(asked).toEqual(['a', 'b', 'c', 'e']);
    expect([...known.keys()]).toEqual(['b', 'a']);
  });

  test('aborts and releases what is not wanted any more', async () => {
    const { wants, aborted, released, answers, known, asked } = loaderOf();
    wants('a', 'b', 'c');
    await answers('a');
    wants('c', 'd');
    expect(aborted).toEqual(['b']);
    expect(released).toEqual(['a']);
    await answers('b');
    expect(released).toEqual(['a', 'b']);
    expect(known.size).toBe(0);
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
  });

  test('loads anew what has changed, also while it is loaded, after what is unknown', async () => {
    const { wants, renew, asked, answers, known } = loaderOf();
    wants('shown', 'next', 'last');
    renew(['next', 'other']);
    await answers('shown');
    await answers('next', 'old');
    expect(asked).toEqual(['shown', 'next', 'last', 'next']);
    await answers('next', 'new');
    expect(known.get('next')).toBe('new');
    renew(['next', 'shown']);
    expect(asked.slice(4)).toEqual(['shown']);
  });

  test('tries again, a moment later, what got no answer and is still wanted', async () => {
    const { wants, asked, fails } = loaderOf();
    wants('a', 'b');
    await fails('a');
    await fails('b');
    wants('a');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked).toEqual(['a', 'b', 'a']);
  });
});
