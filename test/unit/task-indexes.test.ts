import { expect, test } from 'vitest';
import { task } from '../../gallery/samples/tasks.ts';
import { indexChanges } from '../../src/domain/index-changes.ts';
import type { Task, TaskEvent } from '../../src/domain/task.ts';
import { transition } from '../../src/domain/transition.ts';
import { asId } from '../harness/ids.ts';
import { decided, undone, waitingRow } from '../harness/waiting-row.ts';

const at = Date.UTC(2026, 1, 1, 0, 20);
const told = (before: Task | undefined, event: TaskEvent, after: Task) =>
  indexChanges({ before, event, after, zone: 'UTC' })
    .map(({ run, key, other, args }) =>
      [run, key, other, ...args].filter((one) => one !== undefined).join(' '),
    )
    .join(' | ');

test('what a task’s events touch besides its record, from its first row to its rating', () => {
  const made = { verdict: 'NOK', comment: 'no', reason: 'r 1', bonus: '0.05' } as const;
  const given = { type: 'assigned', how: 'click', at } as const;
  const [ben, dan] = [asId<never>('U2'), asId<never>('U3')];
  const [d1, d2] = ['d1', 'd2'].map((id) => decided(id, made, at)) as [TaskEvent, TaskEvent];
  const events: TaskEvent[] = [
    { type: 'card-wanted', channel: asId('C1') },
    { type: 'posted', messageRef: { channel: asId('C2'), ts: '1.1' } },
    { ...given, to: ben, by: asId('U1'), seen: '' },
    { ...given, to: dan, by: dan, seen: `U2 ${at}` },
    d1,
    undone('d1'),
    { ...d2, approvedBy: asId('U9') } as TaskEvent,
    { type: 'sending', decision: 'd2', attempt: 1, at, leaseUntil: at },
    { type: 'applied', decision: 'd2', answered: true, at },
  ];
  const { card: _, ...rest } = task({ id: asId('t1'), worker: { id: asId('w1'), country: '', ip: '' } });
  const proof = { slots: ['a'], files: [], finishedAt: 5 };
  let known: Task = { ...rest, campaign: asId('c 1'), proof, card: { state: 'backlog' } };
  const all = [told(undefined, waitingRow(known.id), known)];
  for (const event of events) {
    const after = transition(known, event).task as Task;
    all.push(told(known, event, after));
    known = after;
  }
  const closed =
    'ZREM tasks:open-of:c 1 t1 | remove if gone tasks:open-campaigns tasks:open-of:c 1 c 1 | leave window window:cards:C2 focus:leases t1 | ZADD find-pending 5 t1';
  const listed = (id: string) =>
    `ZADD decided-by:U1 ${at} {"task":"t1","decision":"${id}"} | ZREMRANGEBYRANK decided-by:U1 0 -21 | EXPIRE decided-by:U1 2592000`;
  const spent = 'spent:2026-02-01 spent:2026-02-01:reserved bonus of U1 reserved d1';
  expect(all).toEqual([
    'ZADD tasks:open-of:c 1 5 t1 | SADD tasks:open-campaigns c 1 | ZADD window:queue:c 1 5 t1 | SADD window:queued-campaigns c 1 | ZADD evidence-pending 1 t1 | ZADD find-pending 5 t1',
    'ZREM window:queue:c 1 t1 | remove if gone window:queued-campaigns window:queue:c 1 c 1 | SADD window:cards:C1 t1',
    'SREM window:cards:C1 t1 | SADD window:cards:C2 t1',
    'HSET assignments:by-task t1 U2 | add last assignments:news assignments:news-count U2 t1',
    'HDEL assignments:by-task t1 | ZREM assignments:news U2 t1 | HSET assignments:by-task t1 U3',
    `${closed} | ${listed('d1')} | spend ${spent} 5000 9007199254740991 259200`,
    `ZADD tasks:open-of:c 1 5 t1 | SADD tasks:open-campaigns c 1 | SADD window:cards:C2 t1 | ZADD find-pending 5 t1 | give back ${spent}`,
    `${closed} | ${listed('d2')}`,
    '',
    'HDEL assignments:by-task t1 | ZREM assignments:news U3 t1 | HINCRBY reviewed:20485 1966561 rated NOK:U1 c 1 1 | HINCRBY reviewed:20485 1966561 why NOK:r%201 c 1 1 | HINCRBY reviewed:20485 1966561 bonus - c 1 5000 | EXPIRE reviewed:20485 777600 | HINCRBY reason-uses r 1 1 | HSET refusals:c 1:r 1 w1 t1 | EXPIRE refusals:c 1:r 1 1209600 | SADD refusals-due c%201 r%201 | HINCRBY workers:reasons:w1 NOK r 1 1 | EXPIRE workers:reasons:w1 31536000',
  ]);
});
