import type { Redis } from 'ioredis';
import { campaign } from '../../gallery/samples/campaigns.ts';
import { createFeatures } from '../../src/app/features.ts';
import type { AccountRef, ChannelId, MemberId, TaskId, WorkspaceId } from '../../src/domain/terms.ts';
import { personOf } from '../../src/slack/members.ts';
import { asId } from './ids.ts';
import { moduleParts } from './modules.ts';
import { waitingRow } from './waiting-row.ts';

const hour = 3_600_000;

/**
 * Creates Home as in the bot, on a separate Redis whose reads can be counted, with a Slack that only records what is
 * published.
 */
export async function createHomeDesk(redis: Redis, now: () => number = Date.now) {
  const workspace = asId<WorkspaceId>('T1');
  const member = asId<MemberId>('U1');
  const published = new Map<MemberId, { readonly blocks: readonly unknown[] }>();
  const queued: { name: string; payload: unknown; delayMs: number }[] = [];
  const slack: { failure: Error | undefined } = { failure: undefined };
  const parts = moduleParts(redis, {
    now,
    jobs: {
      add: async (name: string, payload: unknown, { delayMs = 0 }: { delayMs?: number } = {}) =>
        void queued.push({ name, payload, delayMs }),
    } as never,
    messengerOf: () =>
      ({
        person: async () => ({ ...personOf({ team_id: 'T1' }), zone: 'UTC' }),
        channel: async () => ({ isMember: true, isArchived: false, isShared: false }),
        channelMembers: async () => [member],
        async publishHome(whose: MemberId, view: { blocks: readonly unknown[] }) {
          if (slack.failure !== undefined) throw slack.failure;
          published.set(whose, view);
        },
      }) as never,
    rateLimits: { channelMs: 1, workspaceMs: 1, limitedMs: 1, csvBytesPerMinute: 1e9 },
  });
  const { accounts, subscriptions } = parts;
  const features = createFeatures({ ...parts, config: { ...parts.config, accountOwners: [member] } });
  const ref: AccountRef = { workspace, account: asId('a1') };
  await accounts.connect(ref, 'shared', 'employer-demo-key');
  const scope = { account: ref.account, channel: asId<ChannelId>('C1'), at: 0, started: true };
  await subscriptions.put(workspace, scope);
  await features.context.campaigns.store(ref, []);
  const openers = features.features.flatMap(({ homeOpened }) => homeOpened ?? []);

  return {
    ref,
    member,
    workspace,
    context: features.context,
    handlers: features.handlers,
    published,
    queued,
    slack,

    /** Adds `tasksEach` waiting tasks to each campaign, through the steps that index them. */
    async fill(campaigns: number, tasksEach: number): Promise<void> {
      const { context } = features;
      const all = Array.from({ length: campaigns }, (_, number) =>
        campaign({
          id: asId(`c${number}`),
          title: `Campaign ${String(number).padStart(4, '0')}`,
          tasksNotRated: tasksEach,
        }),
      );
      await context.campaigns.store(ref, all);
      for (const { id } of all) {
        await Promise.all(
          Array.from({ length: tasksEach }, (_, number) => {
            const task = asId<TaskId>(`${id}-${number}`);
            return context.tasks.apply(ref, task, waitingRow(task, id, now() - 22 * hour + number));
          }),
        );
        await context.tasks.timesToRate.put(ref, id, 1);
      }
    },

    /** Opens the home tab of a member. */
    async opens(who: MemberId = member): Promise<void> {
      const how = { how: 'click', team: workspace, answer: async () => undefined } as const;
      for (const opened of openers) await opened({ workspace, member: who, ...how });
    },

    /** Returns the commands of a function to Redis, and the bytes that Redis answered. */
    async cost(run: () => Promise<unknown>) {
      const figure = (text: string, name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(text)?.[1]);
      const before = await redis.info('stats');
      await run();
      const after = await redis.info('stats');
      const of = (name: string) => figure(after, name) - figure(before, name);
      // Excludes the measurement itself.
      return {
        commands: of('total_commands_processed') - 1,
        bytes: of('total_net_output_bytes') - before.length,
      };
    },
  };
}
