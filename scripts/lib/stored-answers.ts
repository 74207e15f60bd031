import type { Redis } from 'ioredis';
import type { TaskEvent } from '../../src/domain/task.ts';
import type { AccountRef, CampaignId, ChannelId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import { createAuditWriter, placeOf } from '../../src/store/audit.ts';
import { createFetchedFiles } from '../../src/store/fetched-files.ts';
import { accountKey, workspaceKey } from '../../src/store/format.ts';
import { createPauses } from '../../src/store/pauses.ts';
import { createWorkspaceData } from '../../src/store/retention.ts';
import { asId, ref } from '../../test/harness/ids.ts';
import { testModules } from '../../test/harness/modules.ts';
import { decided, undone, waitingRow } from '../../test/harness/waiting-row.ts';

const day = 86_400_000;
const { workspace } = ref;
const [ann, ben] = [asId<MemberId>('U1'), asId<MemberId>('U2')];
const [c1, c2] = [asId<CampaignId>('c1'), asId<CampaignId>('c2')];
const [here, there] = [asId<ChannelId>('C1'), asId<ChannelId>('C2')];
const idOf = (number: number) => asId<TaskId>(`t${number}`);
const by = { by: ann, how: 'form' } as const;

/** Returns what the stores of an empty Redis answer, by store: the first and a second time, before, at and after a limit. */
export async function storeAnswers(redis: Redis, at: number, vault: Parameters<typeof createAccounts>[1]) {
  const queued: unknown[] = [];
  const add = async (...[name, payload]: unknown[]) => void queued.push([name, payload]);
  const auditWriter = createAuditWriter({ now: () => at });
  const accounts = createAccounts(redis, vault, undefined, auditWriter);
  const parts = {
    now: () => at,
    auditWriter,
    accounts,
    jobs: { add, addAll: async () => undefined } as never,
  };
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

  for (const number of [5, 4, 2, 1, 3]) {
    const finished = number < 3 ? undefined : at - (number === 4 ? 5 : number);
    await apply(idOf(number), waitingRow(idOf(number), number === 2 ? c2 : c1, finished, { readAt: at }));
    const seen = '';
    await apply(idOf(number), { type: 'assigned', to: ben, ...by, at, seen });
  }
  await tasks.timesToRate.put(ref, c1, 2);
  await apply(idOf(3), decided('d3'));
  tell('tasks', await tasks.assignments.allOf(ref, ben), await tasks.open.queue(ref, 9));
  for (const until of [at + 2 * day - 6, at + 2 * day - 5])
    tell('tasks', await tasks.open.campaigns(ref, { until }), await tasks.open.countsUntil(ref, [until]));
  tell('tasks', await tasks.open.campaigns(ref, { from: 1 }), await tasks.open.campaigns(ref, { limit: 1 }));
  tell('tasks', await tasks.open.countsIn(ref, new Map([[c1, 2]]), [at + 2 * day, Number.POSITIVE_INFINITY]));
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
  for await (const { entry } of audit.newestFirst({ workspace, account: asId('none') }))
    tell('channels', entry);
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
  return { ...all, queued };
}
