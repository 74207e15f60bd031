import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TaskEvent } from '../../src/domain/events.ts';
import type { AccountRef, TaskId } from '../../src/domain/terms.ts';
import { accountKey } from '../../src/store/keys.ts';
import { packed, recordOfString, unpacked } from '../../src/store/stored-record.ts';
import { taskDictionary } from '../../src/store/task-dictionary.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { countUnreadable } from '../../src/store/unreadable.ts';
import { asId } from '../harness/ids.ts';
import { recordText } from '../harness/stored-task.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

function seenEvent(id: TaskId): Extract<TaskEvent, { type: 'seen' }> {
  return {
    type: 'seen',
    ...{ id, campaign: asId<never>('c1'), rating: 'NOTRATED', comment: '', csvRow: '1', readAt: 1_000 },
    worker: { id: asId('w1'), country: 'KE', ip: '203.0.113.7' },
    proof: { slots: ['walnuts in a bowl'], files: [], finishedAt: 1_000 },
    want: 'card',
  };
}

describe('the text of a value', () => {
  test('is read as it was, with a dictionary and without one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), (text) => {
        for (const dictionary of [taskDictionary, undefined])
          expect(unpacked(Buffer.from(packed(text, dictionary)), dictionary)).toBe(
            Buffer.from(text).toString(),
          );
      }),
    );
  });

  test('that was not compressed is read as well', () => {
    expect(unpacked(Buffer.from('{"v":2}'), taskDictionary)).toBe('{"v":2}');
  });

  test('that is damaged makes nothing fail', () => {
    const text = '{"v":2,"id":"t1","comment":"a shelf of tea, and a longer text"}';
    const whole = Buffer.from(packed(text, taskDictionary));
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(255), (at, byte) => {
        const damaged = Buffer.from(whole);
        damaged[at] = byte;
        expect(['string', 'undefined']).toContain(typeof unpacked(damaged, taskDictionary));
        unpacked(whole.subarray(0, at), taskDictionary);
        recordOfString(whole.subarray(at));
      }),
    );
    expect(unpacked(whole.subarray(0, 12), taskDictionary)).toBeUndefined();
  });
});

test('what was stored with the dictionary is read for ever', () => {
  const stored =
    'AQAAAAcAAAACAANhYmMBndLdCsIwDIbhO+q+pO1oD/33cLeQdS0IVocgePmiKFt1DDEXEEietyA3iQNeU/LbpMUHRGq5m07hD21BS4E7HU2yg7zkw0kK/iZeru8EGFpBEWnlC3rib3xvqXbuec1cB/EmuT9GFc65enyvotkKRlsngviJo14sV+vNdrcfXJy1hg2gABDwyXQH';
  expect(recordText(Buffer.from(stored, 'base64'))).toBe(
    '{"v":2,"id":"4f2c00000000","campaign":"5f3a9c0e1b2d","round":1,"rating":"NOTRATED","comment":"","ratedAt":0,"worker":{"id":"a0b1c2d3e4f5","name":"amina","country":"Peru","ip":"203.0.113.9"},"csvRow":"12","submittedAt":1795168800000,"proof":{"slots":["https://example.com/post/1"],"files":[],"finishedAt":1795168800000},"detailed":true,"card":{"state":"posted","channel":"C06ABCDEFGH","ts":"1785542400.000100"},"revision":2}',
  );
});

describe('the record of a task', () => {
  const redis = twoRedisClients();

  test('is compressed while it is at rest, and read as well while it is not', async () => {
    const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
    const id = asId<TaskId>('t1');
    const tasks = createTasks(redis.first);
    const isCompressed = async () => {
      const { body } = recordOfString(await redis.first.getBuffer(accountKey(ref, 'task', id)));
      return body?.[0] === 1;
    };
    const states: [TaskEvent, boolean][] = [
      [seenEvent(id), false],
      [{ type: 'posted', messageRef: { channel: asId('C1'), ts: '1.1' } }, true],
      [
        {
          type: 'decided',
          decision: { id: 'd1', by: asId('U1'), verdict: 'OK', comment: '' },
          round: 1,
          at: 2_000,
          sendAt: 3_000,
        },
        false,
      ],
      [{ type: 'sending', decision: 'd1', attempt: 1, at: 3_000, leaseUntil: 4_000 }, false],
      [{ type: 'applied', decision: 'd1', at: 3_500, answered: true }, true],
    ];
    for (const [event, expected] of states) {
      expect((await tasks.apply(ref, id, event)).kind).toBe('done');
      expect(await isCompressed(), event.type).toBe(expected);
      expect(await tasks.get(ref, id)).toMatchObject({ id, proof: { slots: ['walnuts in a bowl'] } });
    }
  });
});

describe('a string that is no record', () => {
  const redis = twoRedisClients();

  test('is set aside and removed', async () => {
    const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
    for (const text of ['a text', '', String.fromCharCode(1), `${String.fromCharCode(1)}short`]) {
      await redis.first.flushall();
      await redis.first.set(accountKey(ref, 'task', 't1'), text);
      expect(await createTasks(redis.first).get(ref, asId('t1'))).toBeUndefined();
      expect([
        await countUnreadable(redis.first),
        await redis.first.exists(accountKey(ref, 'task', 't1')),
      ]).toEqual([1, 0]);
    }
  });
});
