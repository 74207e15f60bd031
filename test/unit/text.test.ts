import { expect, test } from 'vitest';
import { partOf } from '../../src/domain/text.ts';
import { restartView } from '../../src/features/campaigns/restart/restart.view.ts';
import { asId } from '../harness/ids.ts';
import { campaign } from './campaign-samples.ts';

test('more than all there are is said as all of them and the rest', () => {
  expect(partOf(12, 18, 'positions accepted')).toBe('12 of 18 positions accepted');
  expect(partOf(18, 18, 'accepted')).toBe('18 of 18 accepted');
  expect(partOf(1_019, 1_018, 'accepted')).toBe('1,018 of 1,018 accepted, and 1 more');
});

test('a restart of a campaign with more accepted tasks than positions says so', () => {
  const content = {
    campaign: campaign({ status: 'FINISHED', availablePositions: 18, tasksOk: 19 }),
    state: { campaign: asId('c1'), attempt: 1 },
  } as unknown as Parameters<typeof restartView>[0];
  const text = JSON.stringify(restartView(content).blocks);
  expect(text).toContain('18 of 18 positions accepted, and 1 more');
  expect(text).not.toContain('19 of 18');
});
