import { describe, expect, test } from 'vitest';
import { createLoader } from '../src/loader.ts';

/** A loader of two at a time, whose answers are given by hand. */
function loaderOf() {
  const known = new Map<string, string>();
  const asked: string[] = [];
  const aborted: string[] = [];
  const answers = new Map<string, (value: string) => void>();
  const load = (key: string, signal: AbortSignal) => {
    asked.push(key);
    signal.addEventListener('abort', () => aborted.push(key));
    return new Promise<string>((resolve) => answers.set(key, resolve));
  };
  const loader = createLoader(known, 2, load, () => {});
  return {
    ...loader,
    known,
    asked,
    aborted,
    wants: (...keys: string[]) => loader.keep(new Map(keys.map((key) => [key, key]))),
    async answers(key: string, value = key) {
      answers.get(key)?.(value);
      await Promise.resolve();
    },
  };
}

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

  test('aborts and forgets what is not wanted any more', async () => {
    const { wants, aborted, answers, known, asked } = loaderOf();
    wants('a', 'b', 'c');
    await answers('a');
    wants('c', 'd');
    expect(aborted).toEqual(['b']);
    expect(known.size).toBe(0);
    await answers('b');
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
});
