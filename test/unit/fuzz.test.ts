import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { channelEvents } from '../../src/slack/events.ts';
import { commandTable } from '../../src/slack/listeners.ts';
import { corpusOf } from '../fuzz/corpus.ts';
import { entryPoint } from '../fuzz/entry-point.ts';
import { entryPoints } from '../fuzz/entry-points.ts';
import { fuzz } from '../fuzz/run.ts';
import { planted, secretsIn } from '../fuzz/secrets.ts';
import { findCodecs } from '../fuzz/stored.ts';
import { idleFeatures } from '../harness/features.ts';

const { features } = idleFeatures();
const corpus = corpusOf(features);

describe('the cases', () => {
  test('are of every command, action, form, select, shortcut and event', () => {
    const ids = (of: 'clicks' | 'submissions' | 'typings' | 'shortcuts') =>
      features.flatMap((feature) => Object.keys(feature[of] ?? {}));
    expect(corpus.commands).toHaveLength(commandTable(features).length);
    expect(Object.keys(corpus.clicks)).toEqual(ids('clicks'));
    expect(Object.keys(corpus.submissions)).toEqual(ids('submissions'));
    expect(Object.keys(corpus.typings)).toEqual(ids('typings'));
    expect(corpus.shortcuts).toEqual(ids('shortcuts'));
    expect(corpus.events).toEqual(expect.arrayContaining(Object.keys(channelEvents)));
  });

  test('have a sample of every form, and of nearly every action', () => {
    for (const [id, samples] of Object.entries(corpus.submissions)) expect(samples, id).not.toEqual([]);
    const all = Object.entries(corpus.clicks);
    const without = all.filter(([, samples]) => samples.length === 0).map(([id]) => id);
    expect(without.length, without.join()).toBeLessThan(all.length / 10);
  });

  test('are of every codec of stored values', async () => {
    expect((await findCodecs()).length).toBeGreaterThan(20);
  });

  test('enter wherever something comes from outside', () => {
    expect(entryPoints().map(({ name }) => name)).toEqual([
      'port with HTTP',
      'commands',
      'clicks',
      'submissions',
      'options and shortcuts',
      'events',
      'raw Redis values',
      'port with Socket Mode',
      'Socket Mode envelopes',
      'results CSV',
      'API answers',
      'stored values',
    ]);
  });
});

describe('what must not happen is found', () => {
  /** Runs cases against something that does this for each number from 0 to 999. */
  async function findingsOf(run: (number: number) => Promise<string>, emitted: () => string[] = () => []) {
    const entry = entryPoint('numbers', async () => ({
      cases: fc.nat(999),
      run,
      emitted: async () => emitted(),
      close: async () => [],
    }));
    const { findings } = await fuzz(entry, { cases: 100, seed: 1, settleMs: 1 });
    return findings;
  }

  test('nothing, when nothing happens', async () => {
    expect(await findingsOf(async () => '')).toEqual([]);
  });

  test('a wrong answer, with the smallest case and how to have it again', async () => {
    const [found] = await findingsOf(async (number) => {
      if (number >= 500) throw new Error('is wrong');
      return '';
    });
    expect(found).toMatchObject({ problem: 'is wrong', example: '500', seed: 1, path: expect.any(String) });
  });

  test('a rejection that nobody waits for', async () => {
    // The test runner would report it as well.
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    try {
      const findings = await findingsOf(async (number) => {
        if (number >= 900) void Promise.reject(new Error('nobody waits'));
        await new Promise((resolve) => setImmediate(resolve));
        return '';
      });
      expect(findings[0]?.problem).toContain('unhandled rejection: Error: nobody waits');
    } finally {
      for (const listener of others) process.on('unhandledRejection', listener);
    }
  });

  test('a secret in an answer, and in what is emitted elsewhere', async () => {
    const answered = await findingsOf(async (number) => (number > 700 ? `key ${planted.apiKey}` : ''));
    expect(answered[0]).toMatchObject({ problem: expect.stringContaining('apiKey'), example: '701' });
    let lines: string[] = [];
    const logged = await findingsOf(
      async (number) => {
        if (number > 700) lines.push(`token=${encodeURIComponent(planted.encryptionKey)}`);
        return '';
      },
      () => {
        const all = lines;
        lines = [];
        return all;
      },
    );
    expect(logged[0]).toMatchObject({ problem: expect.stringContaining('encryptionKey'), example: '701' });
  });

  test.each(Object.entries(planted))('%s in every form', (name, secret) => {
    const bytes = Buffer.from(secret);
    const texts = [
      `x${secret}y`,
      JSON.stringify({ a: { b: secret } }),
      `a=1&b=${encodeURIComponent(secret)}`,
      bytes.toString('hex'),
      ...['', 'a', 'ab', 'abc'].flatMap((before) => {
        const around = Buffer.from(`${before}${secret}-and more`);
        return [around.toString('base64'), around.toString('base64url')];
      }),
    ];
    for (const text of texts) expect(secretsIn(text).join(), text).toContain(name);
    expect(secretsIn(secret.slice(0, -2))).toEqual([]);
  });
});
