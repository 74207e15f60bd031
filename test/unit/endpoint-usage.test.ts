import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { noteLabel, noteLogLine, noteReached, recorded, startFollowing } from '../harness/endpoint-usage.ts';

const log = (fields: Record<string, string>) => noteLogLine(`${JSON.stringify(fields)}\n`);

test('a request is recorded for what started it, also when others run meanwhile', async () => {
  startFollowing();
  const work = async (start: Record<string, string>, endpoint: string, ms: number) => {
    await Promise.resolve();
    log(start);
    await sleep(ms);
    log({ endpoint, msg: 'marketplace request' });
  };
  await Promise.all([
    work({ what: 'task.files.fetch', msg: 'interaction received' }, 'downloadFileProof', 20),
    work({ command: '/inbox', word: '', msg: 'command routed' }, 'listMessages', 10),
    work({ job: 'look', msg: 'job started' }, 'listCampaignsExtended', 1),
  ]);
  log({ endpoint: 'listCampaigns', msg: 'marketplace request' });
  expect([...recorded.requested].toSorted()).toEqual([
    'downloadFileProof task.files.fetch',
    'listCampaigns nothing',
    'listCampaignsExtended job look',
    'listMessages /inbox',
  ]);
});

test('only what was applied counts as reached, and a label belongs to what is pressed', () => {
  noteReached([
    { method: 'PUT', path: '/campaign_hg/rate_task/12e5', applied: true },
    { method: 'PUT', path: '/campaign_hg/rate_tasks/12e5', applied: false },
  ]);
  expect([...recorded.reached]).toEqual(['rateTask']);
  noteLabel({ action_id: 'task.ok', text: { type: 'plain_text', text: 'OK' } });
  noteLabel({ action_id: 'task.more' }, 'Files…');
  expect([...recorded.labels]).toEqual(['task.ok OK', 'task.more Files…']);
});
