import type { Redis } from 'ioredis';
import { money } from '../../src/domain/money.ts';
import type { TaskEvent } from '../../src/domain/task.ts';
import type { AccountRef, CampaignId, ChannelId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import { createAuditWriter, placeOf } from '../../src/store/audit.ts';
import { createTypedTexts } from '../../src/store/drafts.ts';
import { createVault } from '../../src/store/encryption.ts';
import { createFetchedFiles } from '../../src/store/fetched-files.ts';
import { accountKey, workspaceKey } from '../../src/store/format.ts';
import { createInstallations } from '../../src/store/installations.ts';
import { createPauses } from '../../src/store/pauses.ts';
import { createWorkspaceData } from '../../src/store/retention.ts';
import type { TaskChange } from '../../src/store/tasks.ts';
import { asId, ref } from '../../test/harness/ids.ts';
import { testModules } from '../../test/harness/modules.ts';
import { decided, undone, waitingRow } from '../../test/harness/waiting-row.ts';

const day = 86_400_000;
const { workspace } = ref;
const [ann, ben] = [asId<MemberId>('U1'), asId<MemberId>('U2')];
const [c1, c2] = [asId<CampaignId>('c1'), asId<CampaignId>('c2')];
const [here, there] = [asId<ChannelId>('C1'), asId<ChannelId>('C2')];
const idOf = (number: number) => asId<TaskId>(`t${number}`);
/** As 0.1.0 seals it. */
const sealed = 'nQ2t3XCx.YZJ_GCBVwxgTmNwa.-xUG0HkpeNw.qR7Ayj2tEEZmYA2O4DktYA';
const by = { by: ann, how: 'form' } as const;

/** Returns what the stores of an empty Redis answer, by store: the first and a second time, before, at and after a limit. */
export async function storeAnswers(redis: Redis, at: number, vault: Parameters<typeof createAccounts>[1]) {
  const queued: unknown[] = [];
  const add = async (...[name, payload]: unknown[]) => void queued.push([name, payload]);
  const logged: unknown[] = [];
  const logger = {
    info: ({ what, task, account, by, how }: Record<string, unknown>) =>
      void logged.push([what, task, account, by, how]),
  };
  const auditWriter = createAuditWriter({ now: () => at, logger: logger as never });
  const accounts = createAccounts(redis, vault, undefined, auditWriter);
  const changes: unknown[] = [];
  const onTaskChange = ({ before, event, after }: TaskChange) =>
    void changes.push([after.id, before?.revision, event.type, after.revision]);
  const noJobs = { add, addAll: async () => undefined } as never;
  const parts = { now: () => at, auditWriter, accounts, jobs: noJobs, onTaskChange };
  const modules = testModules(redis, {}, parts);
  const { tasks, campaigns, channels, people, marketplace, slack, jobs, audit } = modules;
  const all: Record<string, unknown[]> = {};
  const tell = (name: string, ...answers: unknown[]) => {
    all[name] = [...(all[name] ?? []), ...answers];
  };

  const apply = async (id: TaskId, ...events: TaskEvent[]) => {
    for (const event of events) await tasks.apply(ref, id, event);
  };
  const rate = async (number: number, worker: string, reason: string, campaign = c1) => {
    const id = idOf(number);
    const seen = { readAt: at, worker: { id: asId<never>(worker), country: 'KE', ip: '' } };
    await apply(id, waitingRow(id, campaign, number < 3 ? undefined : at - day - number, seen));
    const [name, comment] = [`d${number}`, 'No.'];
    await apply(id, decided(name, { verdict: 'NOK', comment, reason }, at));
    await apply(id, { type: 'sending', decision: name, attempt: 1, at, leaseUntil: at });
    await apply(id, { type: 'applied', decision: name, at, answered: true });
  };
  for (const [number, worker] of ['w1', 'w2', 'w3', 'w3', 'w3'].entries())
    await rate(20 + number, worker, 'blurry');
  for (const [number, worker] of ['w1', 'w2', 'w2'].entries()) await rate(30 + number, worker, 'wrong', c2);
  await campaigns.refusals.told(ref, { campaign: c2, reason: 'told' });
  for (const [number, worker] of ['w1', 'w2', 'w3'].entries()) await rate(40 + number, worker, 'told', c2);
  await redis.sadd(accountKey(ref, 'refusals-due'), 'c3 gone');
  const { refusals } = campaigns;
  tell('refusals', await refusals.due(ref), new Set(await redis.smembers(accountKey(ref, 'refusals-due'))));
  tell('refusals', new Set(await refusals.tasks(ref, { campaign: c1, reason: 'blurry' })));
  for (const id of [20, 23]) await refusals.forget(ref, (await tasks.get(ref, idOf(id))) ?? ({} as never));
  tell('refusals', await refusals.due(ref), await refusals.tasks(ref, { campaign: c1, reason: 'blurry' }));
  for (const worker of ['w1', 'w3']) tell('workers', await campaigns.workers.reasonsGiven(ref, asId(worker)));

  for (const number of [6, 5, 4, 2, 1, 3]) {
    const finished = number < 3 ? undefined : at - (number === 4 ? 5 : number);
    await apply(
      idOf(number),
      waitingRow(idOf(number), number === 2 || number === 6 ? c2 : c1, finished, { readAt: at }),
    );
    const seen = '';
    await apply(idOf(number), { type: 'assigned', to: ben, ...by, at, seen });
  }
  for (const [id, days] of [
    [c1, 2],
    [c2, 9],
  ] as const)
    await tasks.timesToRate.put(ref, id, days);
  await apply(idOf(3), decided('d3'));
  tell('tasks', await tasks.assignments.allOf(ref, ben), await tasks.open.queue(ref, 9));
  for (const until of [at + 2 * day - 6, at + 2 * day - 5])
    tell('tasks', await tasks.open.campaigns(ref, { until }), await tasks.open.countsUntil(ref, [until]));
  tell('tasks', await tasks.open.campaigns(ref, { from: 1 }), await tasks.open.campaigns(ref, { limit: 1 }));
  tell(
    'tasks',
    await tasks.open.countsIn(ref, new Map([[c1, 2]]), [
      at + 2 * day - 6,
      at + 2 * day - 5,
      Number.POSITIVE_INFINITY,
    ]),
  );
  tell(
    'tasks',
    await tasks.open.count(ref),
    await tasks.open.countOf(ref, [c2, c1]),
    await tasks.open.oldest(ref),
  );

  await redis.sadd(accountKey(ref, `window:cards:${here}`), 't20', 't4');
  for (const limit of [1, 2, 3, 0]) tell('windows', await channels.windows.next(ref, here, [c1, c2], limit));
  tell(
    'windows',
    await channels.windows.next(ref, here, [], 9),
    await redis.scard(accountKey(ref, `window:cards:${here}`)),
  );
  await tasks.leases.fill(ref, 'f1', []);
  tell('leases', await tasks.leases.take(ref, 'f1', { count: 1 }));
  await tasks.leases.fill(ref, 'f1', [idOf(5), idOf(4), idOf(1)]);
  await tasks.leases.fill(ref, 'f2', [idOf(5), idOf(1)]);
  tell(
    'leases',
    await tasks.leases.take(ref, 'f1', { count: 1 }),
    await tasks.leases.take(ref, 'f2', { count: 1 }),
  );
  tell(
    'leases',
    await tasks.leases.ownerOf(ref, idOf(5)),
    await tasks.leases.owners(ref, [idOf(4), idOf(1)]),
  );
  for (const limit of [2, 3]) tell('windows', await channels.windows.next(ref, here, [c1, c2], limit));
  await tasks.leases.releaseAll(ref, 'f1');
  tell('leases', new Set((await redis.keys('*queue:f*')).map((key) => key.slice(-2))));
  tell('leases', await tasks.leases.owners(ref, [idOf(5), idOf(1)]));
  for (const how of ['form', 'desk'] as const) {
    await apply(idOf(4), { ...decided(`d4 ${how}`, { bonus: '1' }), how, approvedBy: ben });
    await apply(idOf(4), { ...undone(`d4 ${how}`), how });
  }
  await apply(idOf(5), { ...decided('d5'), how: 'form' });
  const ofFirst = { decision: 'd5', attempt: 1 } as const;
  await apply(idOf(5), { type: 'sending', ...ofFirst, at, leaseUntil: at });
  await apply(idOf(5), { type: 'refused', ...ofFirst, problem: { text: 'It is too late.' } });
  for await (const { entry } of audit.newestFirst(ref)) tell('audit', entry);

  // Ids of Redis's streams are times: these are the same each time.
  const other: AccountRef = { workspace: asId('T9'), account: asId('a9') };
  const put = async (key: string, id: string, of?: string) =>
    redis.xadd(key, id, 'entry', JSON.stringify({ at, what: 'connect', ...(of ? { account: of } : {}) }));
  for (const id of ['5-9', '5-10', '7-1', '10-1']) await put(accountKey(other, 'audit'), id);
  for (const [id, of] of [
    ['5-9', 'a9'],
    ['6-1', 'a8'],
    ['6-2', 'a9'],
    ['9-1', ''],
  ] as const)
    await put(workspaceKey(other.workspace, 'audit'), id, of);
  const placesAfter = async (before?: string) => {
    const places: string[] = [];
    for await (const found of audit.newestFirst(other, before)) places.push(placeOf(found));
    return places;
  };
  const places = await placesAfter();
  for (const before of [undefined, ...places]) tell('audit places', await placesAfter(before));
  tell('audit places', await audit.expire(other.workspace, 7), await placesAfter());

  const brief = (id: CampaignId, work: string) => ({ id, work, proof: 'A photo' });
  const rows = new Map([['1', ['Tea']]]);
  for (const [work, columns] of [
    ['Find', ['name']],
    ['Find', undefined],
    ['Search', ['name']],
  ] as const) {
    await campaigns.briefs.store(ref, [brief(c1, work), brief(c2, 'Taste')]);
    tell('briefs', await campaigns.briefs.get(ref, c1), await campaigns.briefs.row(ref, c1, '1'));
    await campaigns.briefs.storeDraftRows(ref, 'd1', rows);
    const created = { work, proofs: ['A photo'], ...(columns ? { columns: [...columns] } : {}) };
    await campaigns.briefs.storeCreated(ref, c1, created, 'd1');
    tell('briefs', await campaigns.briefs.get(ref, c1), await campaigns.briefs.row(ref, c1, '1'));
  }
  await campaigns.briefs.removeRows(ref, c1);
  tell('briefs', await campaigns.briefs.row(ref, c1, '1'));

  const settings = { openCards: 5, muted: [] } as const;
  for (const after of [
    settings,
    { ...settings, threads: true },
    { ...settings, threads: true },
    { muted: [] },
  ])
    await channels.settings.set(workspace, here, after, { ...by, account: ref.account });
  const subscription = { account: ref.account, channel: here, by: ann, started: true };
  for (const channel of [here, there, there])
    tell('channels', await channels.subscriptions.put(workspace, { ...subscription, channel, at }));
  tell('channels', await channels.subscriptions.put(workspace, { ...subscription, at }, here));
  await channels.subscriptions.put(workspace, { ...subscription, campaign: c1, at: at - 1 });
  for (const [channel, time] of [
    [here, at + 1],
    [there, at],
    [here, at + 9],
  ] as const)
    await channels.digests.put(workspace, { account: ref.account, channel, by: ann, at: time });
  tell('channels', await channels.digests.all(workspace), await channels.digests.ofChannel(workspace, here));
  tell('channels', await channels.subscriptions.forNotices(ref), await channels.subscriptions.all(workspace));
  tell('channels', await channels.subscriptions.removeChannel(workspace, here, by));
  tell(
    'channels',
    await channels.subscriptions.forNotices(ref),
    await channels.subscriptions.polledAccounts(),
  );
  for (const choice of [{ channel: here, by: ann, at }, { channel: here, by: ann, at: at + 1 }, { at }])
    tell('channels', await channels.inbox.choose(ref, choice, by), await channels.inbox.get(ref));
  for (const [time, code] of [
    [at, 'is_archived'],
    [at + 1, 'channel_not_found'],
  ] as const)
    await channels.lost.record(workspace, here, code, time);
  for (const member of [ann, ben, ann]) await channels.lost.recordTold(workspace, here, member);
  tell('channels', await channels.lost.remove(workspace, here), await channels.lost.remove(workspace, here));
  const checks = [
    [0, here, there],
    [2, here],
    [3, here, there],
    [6, there, here],
    [8, there],
    [9, here, there],
    [20],
    [21, asId<ChannelId>('C3')],
    [22, here],
    [25, there, here],
  ] as const;
  for (const [time, ...of] of checks)
    tell('checks', await channels.lost.nextToCheck(workspace, of, time + 99, { everyMs: 6, apartMs: 3 }));
  tell('channels', await redis.xlen(workspaceKey(workspace, 'audit')));

  const role = { to: { kind: 'member', id: ben }, role: 'manager', by: ann, at } as const;
  const granted = { type: 'granted', grant: role } as const;
  for (const isAllowed of [false, true, true])
    tell('grants', await people.grants.change(ref, granted, by, () => isAllowed));
  tell(
    'grants',
    await people.grants.change(ref, { type: 'withdrawn', from: role.to }, by),
    await people.grants.of(ref),
  );
  for await (const { trail, entry } of audit.newestFirst(ref))
    if (trail.account === undefined) tell('audit of workspace', entry);
  await people.accounts.connect(ref, 'shared', 'key 1');
  await people.accounts.connect({ ...ref, account: asId('a2') }, ben, 'key 2', ben);
  tell('accounts', await accounts.of(workspace, ann), await accounts.of(workspace, ben));
  tell('accounts', await accounts.disconnect(workspace, ann), await accounts.disconnect(workspace, 'shared'));
  tell('accounts', await accounts.shared(workspace), await accounts.create(workspace, 'key 2', 'Other'));

  const { openedHomes } = people;
  for (const [member, time] of [
    [ann, at],
    [ben, at + 1],
  ] as const)
    await openedHomes.record(workspace, member, time);
  tell('homes', await openedHomes.firstDue(workspace));
  for (const [since, of] of [
    [at, 1],
    [at, ben],
    [at + 1, ann],
    [at, 0],
  ] as const) {
    tell('homes', await openedHomes.request(workspace, { since, at: at + 5, spacingMs: 9 }, of));
    tell('homes', await openedHomes.due(workspace, at + 5, 9));
    await openedHomes.published(workspace, ben, at + 4, at + 5);
    await openedHomes.published(workspace, ben, at + 4, at + 6);
  }
  for (const seconds of [600, 600]) tell('homes', await slack.renderNumbers.next(workspace, 'home', seconds));
  tell(
    'homes',
    await slack.renderNumbers.last(workspace, 'home'),
    await slack.renderNumbers.last(workspace, 'x'),
  );

  const later = (ms: number) => createPauses(redis, { now: () => at + ms, firstMs: 1_000, probeMs: 500 });
  for (const [ms, began] of [
    [0, 0],
    [1, 1],
    [2, 0],
    [3, 3],
    [4, 2],
  ] as const)
    tell(
      'pauses',
      await later(ms).fail(workspace, 'slack', { code: 'E', began: at + began, pausesAfter: 2 }),
    );
  for (const ms of [599_000, 600_003]) tell('pauses', await later(ms).all(workspace));
  for (const ms of [2_002, 2_003, 2_100, 2_502, 2_503]) {
    const { waitMs, isProbe } = await later(ms).enter(workspace, ['slack', 'channel C1']);
    tell('pauses', [waitMs, isProbe]);
  }
  for (const began of [2, 3]) tell('pauses', await later(9).succeed(workspace, 'slack', at + began));
  for (const [code, began] of [
    ['gone', at],
    ['gone', at],
    ['lost', at],
    ['gone', at - 1],
  ] as const)
    tell('incidents', await jobs.incidents.record(workspace, 'memory redis', code, began));
  for (const since of [at - 1, at, at])
    tell('incidents', await jobs.incidents.clear(workspace, 'memory redis', since));
  for (const began of [at - 1, at])
    tell('incidents', await jobs.incidents.record(workspace, 'memory redis', 'gone', began));
  for (const tells of [false, true, true])
    tell('outages', await marketplace.outages.begin(ref, at, () => tells));
  tell('outages', await marketplace.outages.over(ref, at + 1), await marketplace.outages.since(ref));
  tell(
    'outages',
    await marketplace.outages.begin(ref, at + 2, () => true),
    await marketplace.outages.since(ref),
  );

  const message = {
    id: asId<never>('m1'),
    subject: 's',
    messageType: 'SYSTEM',
    hasAttachment: false,
    unread: true,
  };
  for (const unread of [true, true, false]) {
    const listed = { type: 'listed', message: { ...message, unread }, announce: true } as const;
    tell('messages', (await slack.messages.announcement.apply(ref, message.id, listed)).changed);
  }
  tell(
    'messages',
    await slack.messages.announcement.unreadCount(ref),
    await slack.messages.announcement.known(ref),
  );
  const wish = { id: 'r1', account: ref.account, member: ben, capability: 'rate', at } as const;
  for (const _ of [1, 2]) await people.roleRequests.messages.tell(ref, wish, [ann]);
  await people.roleRequests.messages.removeOld(ref, at - 1);
  tell('messages', await people.roleRequests.messages.get(ref, 'r1 U1'));
  await people.roleRequests.messages.removeOld(ref, at);
  tell('messages', await people.roleRequests.messages.get(ref, 'r1 U1'), await redis.keys('*role-request*'));
  const file = { account: ref, task: idOf(1), round: 1, index: 1 };
  const filesAt = (ms: number) => createFetchedFiles(redis, () => at + ms);
  for (const ms of [0, 299_999, 300_000]) tell('files', (await filesAt(ms).claim(file, ann)) !== undefined);
  for (const ms of [599_999, 600_000]) tell('files', await filesAt(ms).of(file));

  for (const [from, until] of [
    [-day, 0],
    [-day, 900_000],
    [0, 900_000],
    [900_000, day],
  ] as const)
    tell('counts', await audit.reviewCounts.between(ref, at + from, at + until));
  const typedAt = (ms: number) => createTypedTexts(redis, undefined, () => at + ms);
  const typed = { task: idOf(1), round: 1, member: ann, slot: 'reason' } as const;
  for (const [text, order] of [
    ['b', '2'],
    ['a', '1'],
    ['', '3'],
  ] as const) {
    tell('typed', await typedAt(0).get(ref, typed));
    await typedAt(0).put(ref, typed, { text, verdict: 'NOK', form: at, order, at });
    for (const hours of [24.99, 25]) tell('typed', await typedAt(hours * 3_600_000).get(ref, typed));
  }
  tell('vault', createVault([Buffer.alloc(32, 1)]).open(sealed, 'a purpose'));
  for (const number of [0, 1, 2_048 * 32, 2_048 * 32 + 1, 2_048 * 34]) {
    await redis.set(accountKey(ref, 'find', 'tasks'), number);
    for (const before of [undefined, 2_048 * 33])
      tell('find', await campaigns.findIndex.search(ref, ['word'], { before, most: 5 }));
  }
  const note = (id: string, member: MemberId) =>
    ({ id, text: `Note ${id}`, at, by: member, how: 'reply' }) as const;
  for (const one of [note('n2', ann), note('n1', ben), note('n3', ann)])
    await tasks.notes.leave(ref, idOf(1), one);
  await redis.hset(
    accountKey(ref, 'notes', 't1'),
    'n9',
    JSON.stringify({ by: ann, at: at - 1, text: 'On no card.' }),
  );
  tell('notes', await tasks.notes.of(ref, idOf(1)), await tasks.notes.remove(ref, idOf(1), 'n9', by));
  tell('notes', await tasks.notes.eraseOf(workspace, ann), await tasks.notes.of(ref, idOf(1)));
  const reason = { verdict: 'NOK', name: 'Blurry', text: 'It is blurry.', by: ann, at } as const;
  const step = () => audit.step(ref, { what: 'add reason', ...by });
  for (const id of ['r1', 'r1', 'r2'])
    tell('reasons', await campaigns.reasons.add(ref, id, { ...reason, name: id }, step()));
  const saved = await campaigns.reasons.all(ref);
  const [first, second] = ['r1', 'r2'].map((id) => saved.find((one) => one.id === id));
  for (const text of ['Too dark.', 'Too small.'])
    if (first)
      tell('reasons', await campaigns.reasons.change(ref, first, { ...reason, text, at: at + 1 }, step()));
  for (const one of [first, second, second])
    if (one) tell('reasons', await campaigns.reasons.remove(ref, one, { by: ann, at }, step()));
  tell(
    'reasons',
    (await campaigns.reasons.all(ref)).filter((one) => one.by !== undefined),
  );
  for (let count = await redis.hlen(accountKey(ref, 'reasons')); count < 79; count += 1)
    await campaigns.reasons.add(ref, `more ${count}`, reason, step());
  for (const id of ['80', '81']) tell('reasons', await campaigns.reasons.add(ref, id, reason, step()));
  const spends = { member: ann, budget: 'bonus', id: 's1', at } as const;
  await people.spending.reserve(ref, spends, money('2'), undefined);
  for (const _ of [1, 2]) await people.spending.giveBack(ref, spends);
  tell('spending', await people.spending.spent(ref, spends));
  const nina = { name: 'nina', counts: { NOTREVIEWED: 0, NOTRATED: 0, OK: 1, NOK: 2, REVISE: 0 } };
  await campaigns.workers.storeCampaign(ref, c1, new Map([[asId<never>('w1'), nina]]));
  await campaigns.workers.removeNames(ref, c1);
  tell('workers', await campaigns.workers.byCampaign(ref, asId('w1')));
  await campaigns.workers.storeCampaign(ref, c1, new Map());
  tell('workers', await campaigns.workers.byCampaign(ref, asId('w1')));
  const installations = createInstallations(redis, vault, { error() {} });
  const installation = { token: 'xoxb-1', botUser: asId<MemberId>('U0BOT'), botId: 'B0BOT' };
  for (const [id, isOrganization] of [
    ['E1', true],
    ['T4', false],
    ['T5', false],
  ] as const)
    await installations.put(id, installation, isOrganization);
  tell('installations', (await installations.of(asId('T6'), 'E1'))?.id, await installations.of(asId('T7')));
  for (const [id, organization] of [
    ['T4', 'E1'],
    ['T5', 'E2'],
  ] as const) {
    const found = await installations.get(id);
    if (found) await installations.remove(found, organization);
  }
  await installations.withdraw('T6', 'E1');
  tell('installations', await installations.workspaces(), (await installations.of(asId('T4')))?.id);
  for (const id of ['T4', 'T5']) await installations.forget(asId(id));
  tell('installations', await installations.workspaces());
  for (const _ of [1, 2]) tell('installations', await installations.useState('state.signature'));
  await people.data.disconnect(workspace, ben, 'command');
  await accounts.connect(ref, ben, 'key 3', ben);
  await people.data.disconnect(workspace, ben, 'command');
  tell('removal', await tasks.assignments.allOf(ref, ben), await accounts.of(workspace, ben));

  const data = createWorkspaceData(redis);
  await data.recordRemoved(workspace, at);
  tell(
    'removal',
    await data.isRemoved(workspace),
    (await data.erase(workspace)) > 0,
    await redis.keys('*T1*'),
  );
  await data.recordInstalled(workspace);
  tell('removal', await data.isRemoved(workspace));
  return { ...all, queued, logged, changes };
}
