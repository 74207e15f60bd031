import type { PlannedRetarget } from '../../src/store/planned-retargets.ts';
import { asId } from '../../test/harness/ids.ts';
import { ann } from './people.ts';
import { hour, now } from './times.ts';

/** A change of countries planned for later. */
export const planned: PlannedRetarget = {
  id: 'p1',
  campaign: asId('7f3a9c21'),
  title: 'Photograph a shelf in your supermarket',
  include: ['DE', 'FR'],
  exclude: ['MT'],
  by: ann,
  firstDueAt: now + 2 * hour,
  dueAt: now + 2 * hour,
  stage: { state: 'planned' },
};

/** Returns the plan after its end. */
export function ended(end: Extract<PlannedRetarget['stage'], { state: 'ended' }>['end']): PlannedRetarget {
  return { ...planned, stage: { state: 'ended', end } };
}
