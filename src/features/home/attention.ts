import { campaignTitleOf } from '../../domain/campaign.ts';
import {
  AccountId,
  type AccountRef,
  CampaignId,
  ChannelId,
  type MemberId,
  type WorkspaceId,
} from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { type Incident, memoryIncident } from '../../store/pauses.ts';
import type { NeedsAttention } from './home.view.ts';

/** The incidents that people must act on. */
const listed = /^(channel|key|memory|read) /;

/** Returns whether the home tab lists an incident of this name. */
export function needsPeople(incident: string): boolean {
  return listed.test(incident);
}

/** Returns the problems that need people in a member's accounts, oldest first. */
export async function attentionFor(
  { people, campaigns, jobs, channels, tasks }: Modules,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<NeedsAttention[]> {
  /** Counts the open tasks by their current channel, with one count per subscription however many tasks there are. */
  async function waitingByChannel(ref: AccountRef): Promise<Map<ChannelId, number>> {
    const counts = new Map<ChannelId, number>();
    const add = (channel: ChannelId | undefined, tasks: number) => {
      if (channel !== undefined) counts.set(channel, (counts.get(channel) ?? 0) + tasks);
    };
    const subscribed = await channels.subscriptions.ofAccount(ref);
    const own = subscribed.flatMap(({ campaign }) => campaign ?? []);
    const waiting = await tasks.open.countOf(ref, own);
    let rest = await tasks.open.count(ref);
    for (const [index, campaign] of own.entries()) {
      const tasks = waiting[index] ?? 0;
      rest -= tasks;
      if (tasks > 0) add(await channels.routing.forCampaign(ref, campaign), tasks);
    }
    add(subscribed.find(({ campaign }) => campaign === undefined)?.channel, Math.max(0, rest));
    return counts;
  }

  async function ofAccount(ref: AccountRef, name: string, { since }: Incident): Promise<NeedsAttention[]> {
    const [kind, account = '', campaign] = name.split(' ');
    if (AccountId.parse(account) !== ref.account) return [];
    if (kind === 'key') {
      const waiting = await tasks.count(ref, 'due');
      return [{ kind: 'key', name: (await people.accounts.nameOf(ref)) ?? '', since, waiting }];
    }
    if (campaign === undefined) return [];
    const title = (await campaigns.get(ref, CampaignId.parse(campaign)))?.title;
    return [
      {
        kind: 'results',
        since,
        waiting: 0,
        campaignTitle: campaignTitleOf(CampaignId.parse(campaign), title),
      },
    ];
  }

  async function ofChannel(
    refs: readonly AccountRef[],
    channel: ChannelId,
    incident: Incident | undefined,
    waiting: number,
  ): Promise<NeedsAttention[]> {
    const lost = await channels.lost.get(workspace, channel);
    const routes: (ChannelId | undefined)[] = [];
    for (const ref of refs)
      for (const { channel: own, campaign } of await channels.subscriptions.ofAccount(ref))
        if (own === channel)
          routes.push(campaign ? await channels.routing.forCampaign(ref, campaign) : channel);
    // A channel used only by another account is not listed.
    if (routes.length === 0 && waiting === 0) return [];
    const code = lost?.code ?? incident?.code ?? 'not_in_channel';
    const since = lost?.since ?? incident?.since ?? 0;
    const isReplaced = routes.length > 0 && routes.every((to) => to !== undefined && to !== channel);
    return [{ kind: 'channel', since, waiting, channel, code, isReplaced }];
  }

  const mine = await people.accounts.of(workspace, member);
  const polled = (await channels.subscriptions.polledAccounts()).filter((ref) => ref.workspace === workspace);
  const all = new Map([...polled, ...(mine ? [mine] : [])].map((ref) => [ref.account, ref]));
  const refs: AccountRef[] = [];
  for (const ref of all.values())
    if (await people.access.has({ workspace, team: workspace, member }, ref, 'see')) refs.push(ref);

  const open = await jobs.incidents.all(workspace);
  const troubled = new Set<ChannelId>((await channels.lost.all(workspace)).keys());
  const found: NeedsAttention[] = [];
  for (const [name, incident] of open) {
    if (!needsPeople(name)) continue;
    const [kind, about = ''] = name.split(' ');
    if (name === memoryIncident) found.push({ kind: 'memory', since: incident.since, waiting: 0 });
    else if (kind === 'channel') troubled.add(ChannelId.parse(about));
    else for (const ref of refs) found.push(...(await ofAccount(ref, name, incident)));
  }
  const counts = troubled.size > 0 ? await Promise.all(refs.map(waitingByChannel)) : [];
  for (const channel of troubled) {
    const waiting = counts.reduce((sum, count) => sum + (count.get(channel) ?? 0), 0);
    found.push(...(await ofChannel(refs, channel, open.get(`channel ${channel}`), waiting)));
  }
  return found.sort((a, b) => a.since - b.since);
}
