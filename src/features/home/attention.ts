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

  /**
   * Returns the problems of channels, as far as these accounts use them. The open tasks are counted per subscription, however
   * many there are.
   */
  async function ofChannels(
    refs: readonly AccountRef[],
    troubled: ReadonlySet<ChannelId>,
    incidents: ReadonlyMap<string, Incident>,
  ): Promise<NeedsAttention[]> {
    if (troubled.size === 0) return [];
    const waiting = new Map<ChannelId, number>();
    /** Where the tasks of each subscription to a channel go now. */
    const routes = new Map<ChannelId, (ChannelId | undefined)[]>();
    for (const ref of refs) {
      const subscribed = await channels.subscriptions.ofAccount(ref);
      const own = subscribed.flatMap(({ campaign }) => campaign ?? []);
      const counts = await tasks.open.countOf(ref, own);
      const ofCampaign = new Map(own.map((campaign, index) => [campaign, counts[index] ?? 0]));
      const others = counts.reduce((left, count) => left - count, await tasks.open.count(ref));
      for (const { channel, campaign } of subscribed) {
        const count = campaign === undefined ? Math.max(0, others) : (ofCampaign.get(campaign) ?? 0);
        if (count === 0 && !troubled.has(channel)) continue;
        const to = campaign === undefined ? channel : await channels.routing.forCampaign(ref, campaign);
        routes.set(channel, [...(routes.get(channel) ?? []), to]);
        if (to !== undefined) waiting.set(to, (waiting.get(to) ?? 0) + count);
      }
    }
    const found: NeedsAttention[] = [];
    for (const channel of troubled) {
      const [to = [], count = 0] = [routes.get(channel), waiting.get(channel)];
      // A channel used only by another account is not listed.
      if (to.length === 0 && count === 0) continue;
      const { code = 'not_in_channel', since = 0 } =
        (await channels.lost.get(workspace, channel)) ?? incidents.get(`channel ${channel}`) ?? {};
      const isReplaced = to.length > 0 && to.every((one) => one !== undefined && one !== channel);
      found.push({ kind: 'channel', since, waiting: count, channel, code, isReplaced });
    }
    return found;
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
  found.push(...(await ofChannels(refs, troubled, open)));
  return found.sort((a, b) => a.since - b.since);
}
