/**
 * What stands in Redis, and what is read from it, after a little of everything that people and the bot do. From 0.1.0 on,
 * stored data migrates: a change of a form that test/baseline/stored.txt shows needs one (src/store/format.ts).
 */
import { Redis } from 'ioredis';
import { bonusAct, request } from '../gallery/samples/requests.ts';
import { newSelection } from '../src/domain/bulk-selection.ts';
import type { Campaign } from '../src/domain/campaign.ts';
import { confirm } from '../src/domain/confirmed-transition.ts';
import { comparedTask, postingsOf } from '../src/domain/evidence/likeness.ts';
import { newFocus } from '../src/domain/focus.ts';
import { money } from '../src/domain/money.ts';
import type { Task, TaskEvent } from '../src/domain/task.ts';
import type {
  AccountId,
  CampaignId,
  ChannelId,
  MemberId,
  MessageId,
  TaskId,
  WorkerId,
  WorkspaceId,
} from '../src/domain/terms.ts';
import { noTasks } from '../src/domain/worker.ts';
import type { Modules } from '../src/kit/modules.ts';
import { createAccounts } from '../src/store/accounts.ts';
import { createAuditWriter } from '../src/store/audit.ts';
import { createFailingJobs } from '../src/store/failing-jobs.ts';
import { accountKey } from '../src/store/format.ts';
import { createInstallations } from '../src/store/installations.ts';
import { createPeople } from '../src/store/people.ts';
import { claimData } from '../src/store/redis.ts';
import { createWorkspaceData } from '../src/store/retention.ts';
import { setAside } from '../src/store/stored-hash.ts';
import { asId, ref } from '../test/harness/ids.ts';
import { testModules } from '../test/harness/modules.ts';
import { startRedis } from '../test/harness/redis.ts';
import { decided, undone, waitingRow } from '../test/harness/waiting-row.ts';
import { storeAnswers } from './lib/stored-answers.ts';
import { allTexts, changesOf, shown } from './lib/stored-texts.ts';

const day = 86_400_000;
const { workspace } = ref;
const [ann, ben] = [asId<MemberId>('U1'), asId<MemberId>('U2')];
const [c1, c2, c3] = [asId<CampaignId>('c1'), asId<CampaignId>('c2'), asId<CampaignId>('c3')];
const [here, there] = [asId<ChannelId>('C1'), asId<ChannelId>('C2')];
const [w1, w2] = [asId<WorkerId>('w1'), asId<WorkerId>('w2')];
const idOf = (number: number) => asId<TaskId>(`t${number}`);
const [t1, t2, t3, t4, t5, t6, t7, t8] = [1, 2, 3, 4, 5, 6, 7, 8].map(idOf) as [
  ...[TaskId, TaskId, TaskId, TaskId],
  ...[TaskId, TaskId, TaskId, TaskId],
];
const by = { by: ann, how: 'form' } as const;

/** Hides nothing, so that what is stored is the same each time. */
const vault = {
  seal: (secret: string, purpose: string) => `${purpose}: ${secret}`,
  open: (sealed: string, purpose: string) => sealed.slice(`${purpose}: `.length),
  isCurrent: () => true,
};

const posted = (channel: ChannelId, ts: string) => ({ type: 'posted', messageRef: { channel, ts } }) as const;

/** Stores tasks in each state. Returns what the stores answer. */
async function storeTasks({ tasks, people, channels }: Modules, at: number): Promise<unknown[]> {
  const answers: unknown[] = [];
  const apply = async (id: TaskId, ...events: TaskEvent[]) => {
    for (const event of events) answers.push([id, event.type, (await tasks.apply(ref, id, event)).kind]);
  };
  const send = (id: TaskId, time: number, name: string, more = {}) => {
    const sending = {
      type: 'sending',
      decision: name,
      attempt: 1,
      at: time,
      leaseUntil: at + 40_000,
    } as const;
    return apply(id, decided(name, more, time), sending);
  };
  const worker = { id: w1, name: 'nina', country: 'KE', ip: '203.0.113.7' };
  for (const number of [3, 1, 2, 4, 5, 6, 7, 8, 10]) {
    const proof = { slots: [`Shelf ${number}`], files: [], finishedAt: at - day + number };
    const seen = { readAt: at, submittedAt: at - number, worker, proof };
    await apply(idOf(number), waitingRow(idOf(number), [6, 10].includes(number) ? c2 : c1, undefined, seen));
  }
  const { proof: _, ...undated } = waitingRow(idOf(11), c1, undefined, {
    readAt: at,
    worker: { ...worker, id: w2 },
  });
  for (const [number, of] of [[11, c1] as const, [12, c2] as const])
    await apply(idOf(number), {
      ...undated,
      id: idOf(number),
      campaign: of,
      proof: { slots: [], files: [] },
    });
  answers.push(
    await channels.windows.next(ref, here, [c1, c2], 3),
    await channels.windows.next(ref, here, [c1], 0),
  );
  for (const [id, limit] of [[t1, 0] as const, [t2, 2] as const, [t6, 3] as const, [idOf(10), 3] as const])
    answers.push((await tasks.giveCard(ref, id, here, limit)).kind);
  await apply(t4, { type: 'assigned', to: ben, ...by, at, seen: '' });
  await apply(t1, { type: 'posting', channel: here, at }, posted(here, '1.1'), { type: 'evidence-found' });
  await apply(t1, { type: 'assigned', to: ben, ...by, at, seen: '' });
  await apply(t7, { type: 'assigned', to: ben, ...by, at, seen: '' });
  await apply(t6, { type: 'assigned', to: ann, ...by, at, seen: '' });
  await tasks.notes.leave(ref, t1, { ...by, id: 'n1', text: 'Ask the shop.', at });
  for (const id of ['n2', 'n3', 'n2'])
    answers.push(
      await tasks.notes.leave(ref, t1, { by: ben, how: 'reply', id, text: `I have. ${id}`, at: at + 1 }),
    );
  answers.push(await tasks.notes.leave(ref, idOf(99), { ...by, id: 'n1', text: 'Gone', at }));
  for (const text of ['Ask the shop.', 'Ask the shop again.'])
    answers.push(
      await tasks.notes.change(ref, t1, 'n1', text, by),
      await tasks.notes.change(ref, t1, 'n2', text, by),
    );
  answers.push(
    await tasks.notes.remove(ref, t1, 'n3', by),
    await tasks.notes.remove(ref, t1, 'n3', { ...by, by: ben }),
  );
  await send(t2, at + 2, 'd2', { bonus: '0.5', favorite: 'add', ownBonus: true, ownKey: true });
  await apply(t2, { type: 'applied', decision: 'd2', at, answered: true });
  await send(t3, at + 1, 'd3', { verdict: 'NOK', comment: 'Blurry.', reason: 'blurry', by: ben });
  await apply(t3, { type: 'applied', decision: 'd3', at, answered: false });
  await apply(t4, decided('d4', { verdict: 'REVISE', comment: 'Again.' }, at + 3));
  await send(t5, at, 'd5');
  const waits = { text: 'It is paused.', waitsFor: 'campaign' } as const;
  await apply(t5, { type: 'held', decision: 'd5', attempt: 1, until: at + 60_000, problem: waits });
  await apply(t6, posted(here, '1.6'), { type: 'channel-lost', channel: here }, posted(there, '2.6'));
  await apply(t7, decided('d7', { bonus: '0.25' }, at + 1), undone('d7'));
  await send(t8, at, 'd8', { by: ben });
  await apply(t8, { type: 'applied', decision: 'd8', at, answered: true }, { type: 'details-expired', at });
  const row = waitingRow(idOf(10), c2, undefined, { readAt: at + 9, rating: 'NOK', worker });
  const answer = {
    id: row.id,
    askedAt: at + 9,
    rating: 'NOK',
    comment: 'No.',
    finishedAt: undefined,
    slots: [],
  } as const;
  const confirmed = confirm(row, { ...answer, files: [] } as never);
  if (confirmed) await apply(row.id, { ...confirmed, type: 'confirmed' });
  await tasks.recordRatings(ref, c2, new Map([[idOf(9), 'OK' as const]]), new Map());
  answers.push(await tasks.timesToRate.put(ref, c1, 8), await tasks.timesToRate.put(ref, c1, 7));
  await tasks.leases.fill(ref, 'f1', [t1, t7, t6]);
  answers.push(await tasks.leases.take(ref, 'f1', { count: 2 }));
  answers.push(await channels.windows.next(ref, here, [c1, c2], 3));
  await tasks.focusSessions.create(ref, newFocus({ id: 'f1', member: ann, filter: { label: '' } }));
  await tasks.bulkSelections.create(ref, newSelection({ id: 'b1', member: ann, at, filter: { label: '' } }));
  const typed = { text: 'Not quite', verdict: 'NOK', form: at, order: '1.000000', at } as const;
  await tasks.typedTexts.put(ref, { task: t1, round: 1, member: ann, slot: 'reason' }, typed);
  const spends = { member: ann, budget: 'positions', id: 's1', at } as const;
  answers.push(await people.spending.reserve(ref, spends, money('9'), money('10')));
  for (const id of ['s2', 's2', 's3', 's4'])
    answers.push(await people.spending.reserve(ref, { ...spends, id }, money('0.5'), money('10')));
  await people.spending.keep(ref, spends);
  await people.spending.giveBack(ref, { ...spends, id: 's3' });
  return answers;
}

async function storeCampaigns({ tasks, campaigns, marketplace, audit }: Modules, redis: Redis, at: number) {
  const answers: unknown[] = [];
  // As if there had been tasks before, which are in another block.
  await redis.set(accountKey(ref, 'find', 'tasks'), 2_100);
  for (const found of await tasks.loadMany(ref, [t1, t7, t6]))
    await campaigns.findIndex.put(ref, found, ['Ask the shop.']);
  await campaigns.findIndex.forget(ref, t6);
  const [one, other, third] = (await tasks.getMany(ref, [t1, t7, t6])) as [Task, Task, Task];
  for (const task of [one, other, one])
    answers.push(await campaigns.evidence.index.put(ref, task.id, postingsOf(comparedTask(task))));
  await campaigns.evidence.link(ref, one, other, { kinds: ['same-address'] });
  for (const task of [one, other, third]) await campaigns.evidence.told(ref, task.id);
  await campaigns.evidence.link(ref, one, third, { kinds: ['same-address'] });
  await campaigns.evidence.link(ref, third, other, { kinds: ['same-text'] });
  await campaigns.evidence.pending.compared(ref, one);
  await campaigns.evidence.pending.compared(ref, { ...other, revision: 1 });
  const listed: Omit<Campaign, 'id'> = {
    ...{ title: 'Shelves', status: 'RUNNING' as const, availablePositions: 9, createdAt: at, speed: '500' },
    ...{ targetedCountries: 'US,GB', excludedCountries: '', paymentPerTask: '0.45' },
    ...{ tasksOk: 1, tasksNok: 2, tasksNotRated: 3, tasksNotReviewed: 4 },
  } as const;
  await campaigns.store(ref, [
    { ...listed, id: c1 },
    { ...listed, id: c2, title: 'Menus' },
  ]);
  await campaigns.recordPoll(ref, at);
  await campaigns.recordReading(ref, c1, '1/2/3/4', 600_000);
  for (const id of [c1, c2]) await campaigns.recordImport(ref, id, { counts: '1/2/3/4', at, bytes: 5 });
  await campaigns.requestImports(ref, [c2, c3]);
  await campaigns.requestFirstImport(ref, [c1, c2]);
  for (const id of [c2, c3]) await campaigns.recordFirstImportFailure(ref, id);
  await campaigns.requestFirstImport(ref, [c2]);
  await campaigns.recordRated(ref, c1, at);
  const state = { status: 'PAUSED', since: at, former: [] } as const;
  await campaigns.states.replace(ref, c1, undefined, { ...state, untold: true });
  await campaigns.states.replace(ref, c2, undefined, state);
  await campaigns.briefs.store(
    ref,
    [c1, c2].map((id) => ({ id, work: `Find ${id}`, proof: 'A photo' })),
  );
  for (const draft of ['d1', 'd2'])
    await campaigns.briefs.storeDraftRows(ref, draft, new Map([['1', ['Coffee']]]));
  const brief = { work: 'Find {{product}}', proofs: ['A photo'], columns: ['product'] };
  await campaigns.briefs.storeCreated(ref, c1, brief, 'd1');
  const reason = { verdict: 'NOK', name: 'Blurry', text: 'It is blurry.', by: ann, at } as const;
  const step = (what: 'add reason' | 'remove reason' | 'exclude worker') => audit.step(ref, { what, ...by });
  await campaigns.reasons.add(ref, 'blurry', { ...reason, campaign: c1 }, step('add reason'));
  const [started] = (await campaigns.reasons.all(ref)).filter((reason) => reason.by === undefined);
  if (started) await campaigns.reasons.remove(ref, started, { by: ann, at }, step('remove reason'));
  await campaigns.refusals.told(ref, { campaign: c2, reason: 'a b' });
  const workers = new Map(
    (['NOTRATED', 'NOK', 'REVISE', 'NOTREVIEWED', 'OK'] as const).map((rating, index) => {
      const counts = { ...noTasks, [rating]: index + 1 };
      return [asId<WorkerId>(`w${index + 1}`), { name: `nina ${index}`, counts }];
    }),
  );
  await campaigns.workers.storeCampaign(ref, c1, workers);
  await campaigns.workers.removeNames(ref, c1);
  await campaigns.workers.storeCampaign(ref, c1, workers);
  await campaigns.workers.storeCampaign(ref, c2, workers);
  await campaigns.workers.removeNames(ref, c2, [w2]);
  await campaigns.workers.storeCampaign(ref, c2, new Map([...workers].slice(0, 4)));
  await campaigns.workers.addExcluded(ref, w1, { at: at - 1 });
  await campaigns.workers.addExcluded(ref, w2, { by: ann, at }, step('exclude worker'));
  const read = { since: at, times: 1, wrong: 0, nextAt: at, listed: '1', read: '2', sameSince: at };
  await campaigns.incompleteReads.update(ref, c1, () => ({ ...read, notified: false }));
  for (const [since, tells] of [[at - 2, false] as const, [at - 1, true] as const, [at, true] as const])
    answers.push(await marketplace.outages.begin(ref, since, () => tells));
  for (const pausesAfter of [2, 2, 1])
    answers.push(
      await marketplace.pauses.fail(workspace, 'account a1', { code: 'E', began: at, pausesAfter }),
    );
  const file = { account: ref, task: t1, round: 1, index: 1 };
  await (await marketplace.fetchedFiles.claim(file, ann))?.posted('https://files/1');
  await marketplace.fetchedFiles.claim({ ...file, index: 2 }, ann);
  return answers;
}

async function storePeople({ people, channels, audit }: Modules, at: number): Promise<unknown[]> {
  const answers: unknown[] = [];
  const { accounts, grants, approvals, roleRequests, openedHomes } = people;
  const own = (await accounts.create(workspace, 'key 1', 'Acme')) ?? ref;
  await accounts.connect(own, ann, 'key 1', ann);
  await accounts.connect(own, 'shared', 'key 2');
  await accounts.connect(own, ben, 'key 3', ann);
  for (const [index, key] of ['key 2', 'key 3', 'key 1'].entries())
    await accounts.recordRefusedKey(workspace, key, at - index);
  await accounts.recordAcceptedKey(workspace, 'key 1');
  for (const [of, key] of [[own, 'key 4'] as const, [ref, 'key 5'] as const])
    await accounts.connect(of, asId('U3'), key, asId('U3'));
  const role = { to: { kind: 'member', id: ben }, role: 'manager', by: ann, at } as const;
  await grants.change(ref, { type: 'granted', grant: role }, by);
  await grants.change(ref, { type: 'channel-confirmed', channel: here }, by);
  const limits = { bonus: '5', areForOwners: true };
  await people.spending.setLimits(ref, limits, audit.step({ workspace }, { what: 'set limits', ...by }));
  const asks = request({ act: bonusAct, at, until: at + day });
  await approvals.add(ref, asks, audit.step(ref, { what: 'ask approval', ...by }));
  await approvals.messages.tell(ref, asks, [ben]);
  const wish = { id: 'r1', account: ref.account, member: ben, capability: 'rate', at } as const;
  await roleRequests.put(workspace, 'r1', wish);
  await roleRequests.asked(workspace, 'r1', [ann]);
  await roleRequests.answer(workspace, 'r1', { by: ann, isGranted: true });
  await roleRequests.done(workspace, 'r1');
  await roleRequests.messages.tell(ref, wish, [ann]);
  for (const member of [ben, ann]) await openedHomes.record(workspace, member, at);
  answers.push(await openedHomes.firstDue(workspace));
  await openedHomes.published(workspace, ann, at);
  answers.push(await openedHomes.request(workspace, { since: at, at, spacingMs: 5_000 }, 2));
  const subscription = { account: ref.account, by: ann, started: true };
  await channels.subscriptions.put(workspace, { ...subscription, at, campaign: c2, channel: there });
  await channels.subscriptions.put(workspace, { ...subscription, at: at - 1, channel: there });
  for (const only of [here, there])
    answers.push(
      await channels.subscriptions.put(workspace, { ...subscription, at: at - 1, channel: here }, only),
    );
  for (const [campaign, time] of [[c3, at + 2] as const, [c1, at + 1] as const]) {
    const scope = { account: asId<never>('a2'), campaign, channel: there };
    await channels.subscriptions.put(workspace, { ...subscription, ...scope, at: time });
  }
  await channels.digests.put(workspace, { account: ref.account, channel: there, by: ann, at });
  await channels.inbox.choose(ref, { channel: here, by: ann, at }, by);
  const settings = { openCards: 5, threads: true, muted: ['reminders'] } as const;
  await channels.settings.set(workspace, here, settings, { ...by, account: ref.account });
  await channels.lost.record(workspace, there, 'is_archived', at);
  await channels.lost.recordTold(workspace, there, here);
  for (const [time, ...of] of [
    [0, here, there],
    [2, here, there],
    [4, here, there],
    [8, here, there],
    [16],
    [99, here],
  ] as const)
    answers.push(await channels.lost.nextToCheck(workspace, of, at + time, { everyMs: 5, apartMs: 3 }));
  return answers;
}

async function storeMessages({ tasks, slack, jobs, channels, audit }: Modules, redis: Redis, at: number) {
  const answers: unknown[] = [];
  const { messages } = slack;
  const about = { messageType: 'SYSTEM', hasAttachment: false, sentAt: at };
  for (const [id, unread] of [['m2', false] as const, ['m1', true] as const]) {
    const message = { ...about, id: asId<MessageId>(id), subject: `About ${id}`, unread };
    await messages.announcement.apply(ref, message.id, { type: 'listed', message, announce: unread });
  }
  await messages.announcement.recordRead(ref);
  const place = { channel: here, campaign: c1 };
  const counted = { type: 'counted', at, paceMs: 1 } as const;
  await messages.waiting.apply(ref, asId('C1 c1'), {
    ...counted,
    place,
    content: { waiting: 3, oldest: at },
  });
  const first = { id: c1, tasks: 2, dueAt: at };
  const due = { state: 'due', late: 1, within: [1, 1, 2], campaigns: [first], others: 0 } as const;
  await messages.due.apply(ref, here, { ...counted, channel: here, content: due });
  await messages.due.apply(ref, here, posted(here, '3.1'));
  const summary = { from: at - day, until: at, ratings: { OK: 1, NOK: 1, REVISE: 0 }, unpriced: 0 };
  const money = { paid: '0.45', bonuses: '0.5', reviewers: [], reasons: [] };
  const daily = { type: 'due', channel: here, day: '2026-03-02', content: { ...summary, ...money } } as const;
  await messages.daily.apply(ref, here, daily);
  const changes = [{ campaign: c1, status: 'PAUSED', at }] as const;
  await messages.campaignNotice.apply(ref, here, { type: 'changed', channel: here, changes, at });
  const counts = { count: 2, late: 0, within: [0, 0, 2] };
  const notice = { ...counted, member: ben, channel: there, counts, news: [{ number: 1, by: ann }] };
  await messages.assigned.apply(ref, ben, notice);
  const items = [{ task: t7, round: 1 }];
  for (const id of ['g1', 'g2']) {
    const rating = { id: asId<never>(id), member: ann, team: workspace, at, verdict: 'OK', text: '', items };
    await tasks.bulkRatings.apply(ref, asId(id), { type: 'confirmed', rating } as never);
  }
  const results = new Map([[0, { kind: 'applied', decision: 'd9' } as const]]);
  await tasks.bulkRatings.apply(ref, asId('g2'), { type: 'results', results, at });
  await slack.renderNumbers.next(workspace, 'home U1', 3_600);
  await audit.append(ref, { what: 'restart', ...by, act: 'a1', stage: 'claimed', campaign: c1 });
  await audit.append(ref, { what: 'restart', ...by, act: 'a1', stage: 'done', campaign: c1 });
  await jobs.retentionMarks.put(ref, 'c1', { state: 'FINISHED', oldest: at });
  await jobs.incidents.record(workspace, 'post C1', 'gone', at);
  for (const code of ['gone', 'gone', 'archived'])
    await jobs.incidents.record(workspace, 'post C2', code, at);
  await jobs.incidents.clear(workspace, 'post C2', at);
  await jobs.expiringTexts.put(workspace, 'form of U1', '{"member":"U1"}', 3_600);
  for (const texts of [
    ['', 'one'],
    ['', 'one'],
    ['', 'two'],
    ['one', 'two'],
  ] as const)
    answers.push(await jobs.expiringTexts.swap(workspace, 'list', texts, 600));
  const failed = [
    [25 * 3_600_000, 'send'],
    [400_000, 'import'],
    [200_000, 'show'],
    [9, 'poll'],
    [3, 'poll'],
  ] as const;
  for (const [ago, name] of failed)
    await createFailingJobs(redis, () => at - ago).record('j1', name, ref, `after ${ago}`);
  const installations = createInstallations(redis, vault, { error() {} });
  const installation = { token: 'xoxb-1', botUser: asId<MemberId>('U0BOT'), botId: 'B0BOT' };
  await installations.put(workspace, installation, false);
  await installations.put('E1', { ...installation, refreshToken: 'xoxe-1', expiresAt: at }, true);
  await installations.of(asId('T2'), 'E1');
  await createWorkspaceData(redis).recordRemoved(asId('T3'), at);
  const elsewhere = { workspace: asId<WorkspaceId>('T2'), account: asId<AccountId>('a1') };
  for (const { key } of [ref, elsewhere].map((one) => ({ key: accountKey(one, 'task', 't99') })))
    await setAside(redis, undefined, { kind: 'task', key, field: 'value', reason: 'not JSON', text: '{' });
  await createFailingJobs(redis, () => at - 5).record('j1', 'poll', elsewhere, 'gone');
  await channels.subscriptions.addPolledAccount(elsewhere);
  await jobs.incidents.record(elsewhere.workspace, 'post C1', 'gone', at);
  await jobs.expiringTexts.put(workspace, 'draft d1', '{"member":"U1"}', 3_600);
  await jobs.expiringTexts.put(workspace, 'draft d2', '{"member":"U3"}', 3_600);
  const person = { at, teams: [workspace], isGuest: false, isBot: false, isDeactivated: false };
  const slackSaid = createPeople(redis);
  await slackSaid.putPerson(workspace, ann, { ...person, isAdmin: true, zone: 'Europe/Paris', name: 'Ann' });
  await slackSaid.putAdmins(workspace, { admins: [ann], next: 'p2' });
  await slackSaid.putMembers(workspace, here, [ann, ben], at);
  await claimData(redis);
  return answers;
}

/** Returns what is read from all of it, by what reads it. What has no order is a set. */
async function readFrom(modules: Modules, redis: Redis, at: number): Promise<Record<string, unknown>> {
  const { tasks, campaigns, people, channels, marketplace, slack, audit } = modules;
  const ids = [10, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(idOf);
  const { accounts } = people;
  const own = (await accounts.named(workspace, 'ACME')) ?? ref;
  const { messages } = slack;
  const installations = createInstallations(redis, vault, { error() {} });
  const slackSaid = createPeople(redis);
  // How the two trails are merged depends on the milliseconds in between.
  const trails: { own: string[]; ofWorkspace: string[] } = { own: [], ofWorkspace: [] };
  for await (const { trail, entry } of audit.newestFirst(ref))
    trails[trail.account ? 'own' : 'ofWorkspace'].push(entry.what);
  return {
    'tasks.byId': await tasks.byId(ref, [t1, idOf(9)]),
    'tasks.find open': await tasks.find(ref, 'open'),
    'tasks.find newest': await tasks.find(ref, 'open', { newest: true, limit: 2 }),
    'tasks.find due': await tasks.find(ref, 'due', { until: at + 3 }),
    'tasks.find moved': await tasks.find(ref, 'moved'),
    'tasks.count': [await tasks.count(ref, 'held'), await tasks.count(ref, 'due', at + 3)],
    'tasks.giveCard': (await tasks.giveCard(ref, idOf(12), here, 1)).kind,
    'tasks.lowest': [await tasks.lowest(ref, 'due'), await tasks.lowest(ref, 'open')],
    'tasks.submittedAt': await tasks.submittedAt(ref, ids),
    'tasks.knownRatings': [await tasks.knownRatings(ref, c1), await tasks.knownRatings(ref, c2)],
    'tasks.ratedWithRecords': await tasks.ratedWithRecords(ref, c1),
    'tasks.open.queue': await tasks.open.queue(ref, 3),
    'tasks.open.oldest': await tasks.open.oldest(ref),
    'tasks.open.waitingIn': await tasks.open.waitingIn(ref, [c1, c2, c3]),
    'tasks.open.campaigns': await tasks.open.campaigns(ref),
    'tasks.open.countsUntil': await tasks.open.countsUntil(ref, [at, at + 6 * day + 1, at + 6 * day + 7]),
    'tasks.assignments.assignees': await tasks.assignments.assignees(ref),
    'tasks.assignments.allOf': await tasks.assignments.allOf(ref, ben),
    'tasks.assignments.sorted': await tasks.assignments.sorted(ref, ann),
    'tasks.assignments.news': await tasks.assignments.news(ref),
    'tasks.leases.owners': await tasks.leases.owners(ref, ids),
    'tasks.notes': await tasks.notes.of(ref, t1),
    'tasks.focusSessions.latest': await tasks.focusSessions.latest(ref, ann),
    'tasks.bulkSelections.latest': await tasks.bulkSelections.latest(ref, ann),
    'tasks.bulkRatings.active': await tasks.bulkRatings.active(ref),
    'tasks.typedTexts': await tasks.typedTexts.get(ref, { task: t1, round: 1, member: ann, slot: 'reason' }),
    'campaigns.titlesOf': [c1, c2, c3].map(await campaigns.titlesOf(ref, [c1, c2, c3])),
    'campaigns.reading': await campaigns.reading(ref, [c1, c2]),
    'campaigns.times': [await campaigns.storedAt(ref), await campaigns.lastPollAt(ref)],
    'campaigns.states.untold': await campaigns.states.untold(ref),
    'campaigns.briefs': [await campaigns.briefs.get(ref, c1), await campaigns.briefs.get(ref, c2)],
    'campaigns.briefs.row': await campaigns.briefs.row(ref, c1, '1'),
    'campaigns.reasons': await campaigns.reasons.offered(ref, { campaign: c1, verdict: 'NOK' }),
    'campaigns.reasons REVISE': await campaigns.reasons.offered(ref, { campaign: c1, verdict: 'REVISE' }),
    'campaigns.reasons elsewhere': await campaigns.reasons.offered(ref, { campaign: c2, verdict: 'NOK' }),
    'campaigns.workers.record': await campaigns.workers.record(ref, w1, c1),
    'campaigns.workers.byCampaign': await campaigns.workers.byCampaign(ref, w2),
    'campaigns.workers.reasonsGiven': await campaigns.workers.reasonsGiven(ref, w1),
    'campaigns.workers.excluded': await campaigns.workers.excluded(ref),
    'campaigns.evidence': await campaigns.evidence.on(ref, { id: t1, hasEvidence: true }),
    'campaigns.evidence of none': await campaigns.evidence.on(ref, { id: t7 }),
    'campaigns.evidence.untold': new Set(await campaigns.evidence.untold(ref)),
    'campaigns.evidence.pending': await campaigns.evidence.pending.some(ref, 2),
    'campaigns.findIndex': [
      await campaigns.findIndex.search(ref, ['shelf'], { before: undefined, most: 5 }),
      await campaigns.findIndex.search(ref, ['shelf', 'shop'], { before: undefined, most: 1 }),
      await campaigns.findIndex.search(ref, ['shelf', '7'], { before: 2_102, most: 2 }),
      await campaigns.findIndex.search(ref, ['shelf', '7'], { before: 2_101, most: 2 }),
    ],
    'campaigns.findIndex.pending': await campaigns.findIndex.pending(ref, 3),
    'people.decisions': await people.decisions.latest(ref, ann),
    'people.spending': await people.spending.spent(ref, { member: ann, budget: 'positions', at }),
    'people.accounts': [own, await accounts.of(workspace, ben), await accounts.keySourceOf(own, ann)],
    'people.accounts.usableKeys': await accounts.usableKeys(own),
    'people.accounts.owners': new Set((await accounts.owners(own)).members),
    'people.grants': await people.grants.of(ref),
    'people.roleRequests': await people.roleRequests.get(workspace, 'r1'),
    'people.openedHomes': await people.openedHomes.due(workspace, at + 5_000, 5),
    'slack people': [await slackSaid.person(workspace, ann), await slackSaid.admins(workspace)],
    'slack members': await slackSaid.membership(workspace, here, ben),
    'channels.subscriptions': await channels.subscriptions.all(workspace),
    'channels.subscriptions.channelsFor': await channels.subscriptions.channelsFor(ref, c2),
    'channels.subscriptions.forNotices': [
      await channels.subscriptions.forNotices(ref),
      await channels.subscriptions.forNotices({ workspace, account: asId('a2') }),
    ],
    'channels.digests': await channels.digests.ofChannel(workspace, there),
    'channels.inbox': await channels.inbox.accountsIn(workspace, here),
    'channels.windows': [await channels.windows.queues(ref), await channels.windows.isAnyQueued(ref)],
    'channels.windows.next': await channels.windows.next(ref, here, [c1, c2], 5),
    'marketplace.fetchedFiles': await marketplace.fetchedFiles.of({ account: ref, task: t1, round: 1 }),
    'marketplace.outages': await marketplace.outages.since(ref),
    'marketplace.pauses': await marketplace.pauses.all(workspace),
    'slack.messages.unread': await messages.announcement.unreadCount(ref),
    'slack.messages.shown': [
      ...[await messages.waiting.shown(ref), await messages.due.shown(ref)],
      await messages.assigned.shown(ref),
    ],
    'jobs.failing': [
      await createFailingJobs(redis, () => at).list(1),
      await createFailingJobs(redis, () => at).list(2),
    ],
    'audit.newestFirst': trails,
    'audit.reviewCounts': await audit.reviewCounts.between(ref, at, at + day),
    installations: [await installations.workspaces(), (await installations.of(workspace))?.token],
  };
}

/** Stores it, reads it, and returns a text for each key and each reader. */
export async function storedData(at: number): Promise<string[]> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  try {
    const auditWriter = createAuditWriter({ now: () => at });
    const accounts = createAccounts(redis, vault, undefined, auditWriter);
    const modules = testModules(redis, {}, { now: () => at, auditWriter, accounts });
    const answers = {
      tasks: await storeTasks(modules, at),
      campaigns: await storeCampaigns(modules, redis, at),
      people: await storePeople(modules, at),
      messages: await storeMessages(modules, redis, at),
    };
    const read = await readFrom(modules, redis, at);
    const stored = await allTexts(redis);
    const { data } = modules.people;
    const left = [ben, ann];
    const erased = [];
    for (const member of left)
      erased.push(await modules.tasks.notes.eraseOf(workspace, member), await data.erase(workspace, member));
    const without = await allTexts(redis);
    const removed = await createWorkspaceData(redis).erase(workspace);
    const app = await allTexts(redis);
    await redis.flushall();
    const more = Object.entries(await storeAnswers(redis, at, vault));
    return [
      ...more.map(([name, all]) => [`Answers ${name}`, ...all.map((one) => `  ${shown(one)}`)].join('\n')),
      ...Object.entries({ ...read, ...answers, erased, removed }).map(
        ([name, value]) => `Read ${name}\n  ${shown(value)}`,
      ),
      ...stored.values(),
      ...changesOf(stored, without).map((text) => `Once they have left, ${text}`),
      ...[...app.values()].map((text) => `Once the app is removed, ${text}`),
    ];
  } finally {
    redis.disconnect();
    await server.stop();
  }
}
