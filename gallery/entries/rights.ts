import type { Refusal } from '../../src/domain/forbidden.ts';
import { WorkspaceId } from '../../src/domain/terms.ts';
import { refusalMessage } from '../../src/features/rights/refusal.view.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben } from '../samples/people.ts';

const ref = { workspace: WorkspaceId.parse('T0SANDBOX'), account };
const refusals: readonly Refusal[] = ['stranger', 'guest', 'bot', 'deactivated', 'unchecked'];

export const rights = [
  ...entriesOf('Rights', refusalMessage, {
    'A role that is too low': () =>
      refusalMessage({ ref, capability: 'restart', role: 'reviewer', owners: [ann, ben] }),
    'No role, and no owner by name': () => refusalMessage({ ref, capability: 'rate', owners: [] }),
    ...Object.fromEntries(
      refusals.map((refusal) => [
        `Refused: ${refusal}`,
        () => refusalMessage({ ref, capability: 'rate', refusal }),
      ]),
    ),
  }),
];
