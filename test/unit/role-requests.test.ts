import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RoleRequest } from '../../src/domain/rights.ts';
import type { MemberId } from '../../src/domain/terms.ts';
import { askValue } from '../../src/features/people/public.ts';
import { createRequests, roleRequestMessage } from '../../src/features/people/roles.ts';
import { roleRequestValue } from '../../src/features/people/roles.view.ts';
import type { Payload } from '../../src/jobs/catalogue.ts';
import type { Message } from '../../src/slack/blocks.ts';
import type { Click } from '../../src/slack/feature.ts';
import { createAudit, createAuditWriter } from '../../src/store/audit.ts';
import { createRoleRequestMessages } from '../../src/store/messages.ts';
import { createGrants, createRoleRequests } from '../../src/store/rights.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { audited } from './audited.ts';

const { workspace, account } = ref;
const [ann, ben, dan] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN'), asId<MemberId>('U04DAN')];
const clients = twoRedisClients();

/** The private answers to clicks. */
let answers: (readonly [MemberId, string])[];
/** Ends the process at the next of these steps. */
let dies: 'before the grant' | 'after the grant' | 'before the messages' | undefined;

beforeEach(async () => {
  answers = [];
  dies = undefined;
  const asks = { account, member: dan, capability: 'rate' } as const;
  const request: RoleRequest = { id: 'r1', ...asks, at: 1, asked: [ann, ben] };
  const entry = { what: 'ask for role', by: dan, how: 'click', account, after: 'reviewer' } as const;
  const step = createAuditWriter()({ workspace }, entry);
  await createRoleRequests(clients.first).put(workspace, 'r1', request, step);
  await createRoleRequestMessages(clients.first).tell(ref, request, [ann, ben]);
});
afterEach(() => {
  expect(dies).toBeUndefined();
});

function passes(point: NonNullable<typeof dies>): void {
  if (dies !== point) return;
  dies = undefined;
  throw new Error(`died ${point}`);
}

/** The requests of one process. @param asks runs when the owners are about to be asked */
function process(redis = clients.first, { asks }: { asks?: () => Promise<void> } = {}) {
  const grants = createGrants(redis);
  const messages = createRoleRequestMessages(redis);
  const deps = onlyModules({
    jobs: {
      claimOnce: async () => true,
      add: async (_: string, payload: Payload<'ask-owners'>) => requests.jobs['ask-owners'](payload),
    },
    log: { warn: () => undefined },
    audit: createAudit(redis),
    slack: { homes: { atOnce: async () => undefined } },
    clock: { now: Date.now },
    people: {
      access: { roleIn: async () => ({}), has: async () => false, ownersOf: async () => [ann, ben] },
      roleRequests: {
        ...createRoleRequests(redis),
        messages: {
          ...messages,
          async tell(...args: Parameters<typeof messages.tell>) {
            await asks?.();
            await messages.tell(...args);
          },
          async goOn(...args: Parameters<typeof messages.goOn>) {
            passes('before the messages');
            await messages.goOn(...args);
          },
        },
      },
      grants: {
        ...grants,
        async change(...args: Parameters<typeof grants.change>) {
          passes('before the grant');
          const result = await grants.change(...args);
          if (args[1].type === 'granted') passes('after the grant');
          return result;
        },
      },
    },
  });
  const requests = createRequests(deps);
  const clickOf = (member: MemberId, value: string): Click => {
    const click: Partial<Click> = {
      workspace,
      member,
      value,
      how: 'click',
      authorize: async () => ref,
      answer: async ({ text }: Message) => void answers.push([member, text]),
      show: async () => undefined,
    };
    return click as Click;
  };
  const asked = askValue.encode({ account, capability: 'rate' });
  return {
    ask: (id: string) => requests.clicks['rights.ask'].run({ ...clickOf(dan, asked), id }),
    press: (member: MemberId, button: 'grant' | 'decline', id = 'r1') => {
      const value = roleRequestValue.encode({ account, request: id });
      return requests.clicks[`rights.${button}`].run(clickOf(member, value));
    },
  };
}

/** What a member reads about a request; undefined if they were not told of it. */
async function read(member: MemberId, id = 'r1'): Promise<string | undefined> {
  const messages = createRoleRequestMessages(clients.first);
  const kind = roleRequestMessage(onlyModules({ people: { roleRequests: { messages } } }));
  const message = await messages.get(ref, `${id} ${member}`);
  return message && (await kind.render(ref, message, () => false)).text;
}

/** What the audit says after the request itself: what, and by whom. */
const changes = async () =>
  (await audited(clients.first, { workspace })).slice(1).map(({ what, by }) => `${what} ${by}`);

async function rights() {
  const { grants } = await createGrants(clients.first).of(ref);
  return grants.map(({ to, role, by }) => ({ to: to.id, role, by }));
}

const granted = [{ to: dan, role: 'reviewer', by: ann }];

test.each(['before the grant', 'after the grant', 'before the messages'] as const)(
  'the answer to a request for a role is carried out by the next press when the process died %s, and the role is given once',
  async (point) => {
    dies = point;
    await expect(process().press(ann, 'grant')).rejects.toThrow('died');
    await process().press(ann, 'grant');
    expect(await rights()).toEqual(granted);
    expect(await changes()).toEqual([`give role ${ann}`]);
    expect(await read(dan)).toMatch(/<@U01ANN> made you a reviewer/);
    for (const owner of [ann, ben]) expect(await read(owner)).toMatch(/<@U01ANN> made them a reviewer/);
    expect(answers).toEqual([]);
  },
);

test('the answer to a request for a role that was interrupted also counts when another owner answers otherwise, who is told', async () => {
  dies = 'before the grant';
  await expect(process().press(ann, 'grant')).rejects.toThrow('died');
  await process().press(ben, 'decline');
  expect(await rights()).toEqual(granted);
  expect(await changes()).toEqual([`give role ${ann}`]);
  expect(await read(dan)).toMatch(/<@U01ANN> made you/);
  expect(answers).toEqual([[ben, expect.stringMatching(/<@U01ANN> already approved this request/)]]);
});

test.each([
  ['grant', 'decline'],
  ['decline', 'grant'],
  ['grant', 'grant'],
  ['decline', 'decline'],
] as const)(
  'the answer to a request for a role is one when two owners press at once: %s and %s',
  async (one, other) => {
    await Promise.all([process().press(ann, one), process(clients.second).press(ben, other)]);
    const [first, loser] = (await read(ann))?.includes('<@U01ANN>') ? [ann, ben] : [ben, ann];
    const isGranted = (first === ann ? one : other) === 'grant';
    const given = isGranted ? [{ to: dan, role: 'reviewer', by: first }] : [];
    expect(await rights()).toEqual(given);
    expect(await changes()).toEqual([`${isGranted ? 'give role' : 'decline role'} ${first}`]);
    expect(await read(dan)).toContain(isGranted ? `<@${first}> made` : 'declined');
    for (const owner of [ann, ben])
      expect(await read(owner)).toContain(`<@${first}> ${isGranted ? 'made' : 'declined'}`);
    expect(answers).toEqual([[loser, expect.stringContaining(`<@${first}>`)]]);
    // Whoever presses later is told the same, and nothing happens.
    await process().press(loser, isGranted ? 'decline' : 'grant');
    expect(answers.at(-1)).toEqual([loser, expect.stringContaining(`<@${first}>`)]);
    expect(await read(dan)).toContain(`<@${first}>`);
  },
);

test('the answer to a request for a role does not take a higher role that was given meanwhile', async () => {
  const grant = { to: { kind: 'member', id: dan }, role: 'manager', by: ben, at: 2 } as const;
  await createGrants(clients.first).change(ref, { type: 'granted', grant }, { by: ben, how: 'form' });
  await process().press(ann, 'grant');
  expect(await rights()).toEqual([{ to: dan, role: 'manager', by: ben }]);
});

test('the answer to a request for a role is shown to every owner, also when one answers while the others are still being asked', async () => {
  // Ann answers by a message while Ben has none yet.
  const asks = () => process().press(ann, 'decline', 'asked');
  const { ask } = process(clients.first, { asks });
  await ask('asked');
  for (const owner of [ann, ben]) expect(await read(owner, 'asked')).toContain(`<@${ann}> declined`);
  expect(await read(dan, 'asked')).toContain('declined');
});
