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
  { people, campaigns, jobs, channels }: Modules,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<NeedsAttention[]> {
  async function ofAccount(ref: AccountRef, name: string, { since }: Incident): Promise<NeedsAttention[]> {
    const [kind, account = '', campaign] = name.split(' ');
    if (AccountId.parse(account) !== ref.account) return [];
    if (kind === 'key') return [{ kind: 'key', name: (await people.accounts.nameOf(ref)) ?? '', since }];
    if (campaign === undefined) return [];
    return [
      { kind: 'results', since, campaignTitle: await campaigns.titleOf(ref, CampaignId.parse(campaign)) },
    ];
  }

  /** Returns the problems of channels that these accounts use. */
  async function ofChannels(
    refs: readonly AccountRef[],
    troubled: ReadonlyMap<ChannelId, Pick<Incident, 'code' | 'since'>>,
  ): Promise<NeedsAttention[]> {
    if (troubled.size === 0) return [];
    const subscribed = await Promise.all(refs.map((ref) => channels.subscriptions.ofAccount(ref)));
    const used = new Set(subscribed.flat().map(({ channel }) => channel));
    const found = [...troubled]
      .filter(([channel]) => used.has(channel))
      .map(async ([channel, { code, since }]): Promise<NeedsAttention> => {
        const instead = await channels.routing.instead(workspace, channel);
        return { kind: 'channel', since, channel, code, ...instead };
      });
    return Promise.all(found);
  }

  const mine = await people.accounts.of(workspace, member);
  const polled = (await channels.subscriptions.polledAccounts()).filter((ref) => ref.workspace === workspace);
  const all = new Map([...polled, ...(mine ? [mine] : [])].map((ref) => [ref.account, ref]));
  const refs: AccountRef[] = [];
  for (const ref of all.values())
    if (await people.access.has({ workspace, team: workspace, member }, ref, 'see')) refs.push(ref);

  const open = await jobs.incidents.all(workspace);
  const lost = await channels.lost.all(workspace);
  const troubled = new Map<ChannelId, Pick<Incident, 'code' | 'since'>>();
  const found: NeedsAttention[] = [];
  for (const [name, incident] of open) {
    if (!needsPeople(name)) continue;
    const [kind, about = ''] = name.split(' ');
    if (name === memoryIncident) found.push({ kind: 'memory', since: incident.since });
    else if (kind === 'channel') troubled.set(ChannelId.parse(about), incident);
    else for (const ref of refs) found.push(...(await ofAccount(ref, name, incident)));
  }
  found.push(...(await ofChannels(refs, new Map([...troubled, ...lost]))));
  return found.sort((a, b) => a.since - b.since);
}
