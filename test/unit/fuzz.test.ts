import { expect, test } from 'vitest';
import { channelEvents } from '../../src/slack/feature.ts';
import { commandTable } from '../../src/slack/listeners.ts';
import { corpusOf } from '../fuzz/corpus.ts';
import { entryPoints } from '../fuzz/entry-points.ts';
import { idleFeatures } from '../harness/features.ts';

const { features } = idleFeatures();
const corpus = corpusOf(features);

test('the cases are of every command, action, form, select, shortcut and event', () => {
  const ids = (of: 'clicks' | 'submissions' | 'typings' | 'shortcuts') =>
    features.flatMap((feature) => Object.keys(feature[of] ?? {}));
  expect(corpus.commands).toHaveLength(commandTable(features).length);
  expect(Object.keys(corpus.clicks)).toEqual(ids('clicks'));
  expect(Object.keys(corpus.submissions)).toEqual(ids('submissions'));
  expect(Object.keys(corpus.typings)).toEqual(ids('typings'));
  expect(corpus.shortcuts).toEqual(ids('shortcuts'));
  expect(corpus.events).toEqual(expect.arrayContaining(Object.keys(channelEvents)));
});

test('the cases have a sample of every form, and of nearly every action', () => {
  for (const [id, samples] of Object.entries(corpus.submissions)) expect(samples, id).not.toEqual([]);
  const all = Object.entries(corpus.clicks);
  const without = all.filter(([, samples]) => samples.length === 0).map(([id]) => id);
  expect(without.length, without.join()).toBeLessThan(all.length / 10);
});

test('the cases enter wherever something comes from outside', () => {
  const overHttp = ['port with HTTP', 'commands', 'clicks', 'submissions', 'options and shortcuts', 'events'];
  const others = ['port with Socket Mode', 'Socket Mode envelopes', 'API answers'];
  expect(entryPoints().map(({ name }) => name)).toEqual([...overHttp, ...others]);
});
