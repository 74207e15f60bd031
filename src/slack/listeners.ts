import type {
  AllMiddlewareArgs,
  App,
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackOptionsMiddlewareArgs,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
} from '@slack/bolt';
import { ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import type { Message } from './blocks.ts';
import { help, route } from './commands.ts';
import { type ErrorBoundary, reportFailure, withErrorBoundary } from './error-boundary.ts';
import { hasInputs, inputErrors, viewWithError } from './error-boundary.view.ts';
import type { EventRetry } from './event-retry.ts';
import type { CommandRoute, Feature } from './feature.ts';
import { connectLifecycleEvents } from './lifecycle-events.ts';
import type { Messenger } from './messenger.ts';
import { actorOf, clickOf, openView } from './payloads.ts';

export interface ListenerParts extends ErrorBoundary {
  readonly features: readonly Feature[];
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** Resolves true for the first delivery of an id; false when it was delivered before, to any process. */
  readonly claimOnce: (id: string) => Promise<boolean>;
  /** Retries an event's listener until it succeeds: Slack does not repeat what was acked. */
  readonly retryEvent: EventRetry;
  readonly onAppRemoved: () => Promise<void>;
}

/** Returns the table of all commands, with the help commands that list it. */
export function commandTable(features: readonly Feature[]): CommandRoute[] {
  const routes = features.flatMap((feature) => feature.commands ?? []);
  const commands = [...new Set(routes.map(({ command }) => command))];
  const helps = commands.map((command): CommandRoute => {
    const all = command === '/proofdesk';
    return {
      command,
      word: 'help',
      usage: '',
      help: all ? 'Lists every command.' : '',
      run: ({ answer }) => answer(help(commandTable(features), all ? undefined : command)),
    };
  });
  const bare = commands
    .filter((command) => !routes.some((candidate) => candidate.command === command && candidate.word === ''))
    .flatMap((command): CommandRoute[] => {
      const first = helps.find((candidate) => candidate.command === command);
      return first ? [{ ...first, word: '', help: '' }] : [];
    });
  return [...routes, ...helps, ...bare];
}

/** Registers the features' handlers with Bolt: acks at once, then runs them, and answers failures privately. */
export function registerListeners(app: App, parts: ListenerParts): void {
  const routes = commandTable(parts.features);
  const clicks = mergeHandlers(parts.features.map(({ clicks: own }) => own));
  const submissions = mergeHandlers(parts.features.map(({ submissions: own }) => own));
  const typings = mergeHandlers(parts.features.map(({ typings: own }) => own));
  const shortcuts = mergeHandlers(parts.features.map(({ shortcuts: own }) => own));

  app.command(/^\//, async ({ ack, body }: SlackCommandMiddlewareArgs & AllMiddlewareArgs) => {
    await ack();
    const actor = actorOf(parts.messengerOf, {
      team: body.team_id,
      user: body.user_id,
      channel: body.channel_id,
      responseUrl: body.response_url,
    });
    await withErrorBoundary(parts, actor, body.command, async () => {
      if (!(await parts.claimOnce(`command ${body.trigger_id}`))) return;
      const found = route(routes, body.command, body.text);
      parts.logger.debug({ command: body.command, word: found.route.word }, 'command routed');
      await found.route.run({
        ...actor,
        channel: ChannelId.parse(body.channel_id),
        text: found.text,
        triggerId: body.trigger_id,
      });
    });
  });

  app.action(
    /.*/,
    async ({ ack, body, action }: SlackActionMiddlewareArgs<BlockAction> & AllMiddlewareArgs) => {
      await ack();
      const click = clickOf(parts.messengerOf, body, action);
      const run = clicks.get(click.actionId);
      if (run === undefined) return;
      await withErrorBoundary(parts, click, click.actionId, () => run(click));
    },
  );

  app.view(/.*/, async ({ ack, body, view }: SlackViewMiddlewareArgs & AllMiddlewareArgs) => {
    const run = body.type === 'view_submission' ? submissions.get(view.callback_id) : undefined;
    if (run === undefined) return ack();
    const actor = actorOf(parts.messengerOf, { team: body.team?.id, user: body.user.id });
    let failure: Message | undefined;
    const answer = await reportFailure(
      parts,
      view.callback_id,
      () => run({ ...actor, ...openView(view) }),
      (message) => {
        failure = message;
      },
    );
    // A modal whose submission failed stays open, so that nothing typed is lost. Slack shows errors beside inputs only.
    if (failure && !hasInputs(view)) {
      await ack({ response_action: 'update', view: viewWithError(view, failure) });
    } else if (failure) await ack({ response_action: 'errors', errors: inputErrors(view, failure) });
    else if (answer?.errors) await ack({ response_action: 'errors', errors: { ...answer.errors } });
    else if (answer?.update) await ack({ response_action: 'update', view: answer.update });
    else await ack();
    const afterwards = answer?.afterwards;
    if (afterwards) await withErrorBoundary(parts, actor, view.callback_id, afterwards);
  });

  app.options(
    /.*/,
    async ({ ack, body }: SlackOptionsMiddlewareArgs<'block_suggestion'> & AllMiddlewareArgs) => {
      const run = typings.get(body.action_id);
      const actor = actorOf(parts.messengerOf, {
        team: body.team?.id,
        user: body.user.id,
        channel: body.channel?.id,
      });
      const view = body.view ? { view: openView(body.view) } : {};
      const found =
        run &&
        (await withErrorBoundary(parts, actor, body.action_id, () =>
          run({ ...actor, text: body.value, ...view }),
        ));
      if (found === undefined) await ack({ options: [] });
      else if (Array.isArray(found)) await ack({ options: found });
      else await ack({ option_groups: found.groups });
    },
  );

  app.shortcut(/.*/, async ({ ack, body }: SlackShortcutMiddlewareArgs & AllMiddlewareArgs) => {
    await ack();
    const run = shortcuts.get(body.callback_id);
    const actor = actorOf(parts.messengerOf, { team: body.team?.id, user: body.user.id });
    if (run)
      await withErrorBoundary(parts, actor, body.callback_id, () =>
        run({ ...actor, triggerId: body.trigger_id }),
      );
  });

  connectEvents(app, parts);
  connectLifecycleEvents(app, parts);
}

/** Slack's events by their meaning: private channels have separate names for the same events. */
export const channelEvents = {
  member_joined_channel: 'member_joined_channel',
  channel_left: 'channel_left',
  group_left: 'channel_left',
  channel_archive: 'channel_archive',
  group_archive: 'channel_archive',
  channel_unarchive: 'channel_unarchive',
  group_unarchive: 'channel_unarchive',
  channel_deleted: 'channel_deleted',
  group_deleted: 'channel_deleted',
} as const;

function connectEvents(app: App, parts: ListenerParts): void {
  for (const [event, meaning] of Object.entries(channelEvents)) {
    const listeners = parts.features.flatMap(({ channelEvents: own }) => own?.[meaning] ?? []);
    app.event(event, async ({ body }) => {
      // When Redis cannot say, running twice is better than not at all.
      const first = parts.claimOnce(`event ${body.team_id} ${body.event_id}`).catch(() => true);
      if (!(await first)) return;
      const { channel, user } = body.event as { channel: string; user?: string };
      const location = { workspace: WorkspaceId.parse(body.team_id), channel: ChannelId.parse(channel) };
      const about = meaning === 'member_joined_channel' && user ? { member: MemberId.parse(user) } : {};
      for (const listener of listeners) {
        await parts.retryEvent(channel, event, () => listener({ ...location, ...about }));
      }
    });
  }
  const deletionHandlers = parts.features.flatMap(({ messageDeleted }) => messageDeleted ?? []);
  if (deletionHandlers.length > 0) {
    app.event('message', async ({ body, event, context }) => {
      if (event.subtype !== 'message_deleted') return;
      const { channel, deleted_ts: ts, previous_message: before } = event;
      // Only the bot's own messages matter.
      const isOurs = 'bot_id' in before && before.bot_id === context.botId;
      const blocks = isOurs && 'blocks' in before ? (before.blocks ?? []) : [];
      if (blocks.length === 0) return;
      const location = { workspace: WorkspaceId.parse(body.team_id), channel: ChannelId.parse(channel) };
      for (const deleted of deletionHandlers) {
        await parts.retryEvent(`${channel} ${ts}`, 'message_deleted', () =>
          deleted({ ...location, ts, blocks }),
        );
      }
    });
  }
  const homeHandlers = parts.features.flatMap(({ homeOpened }) => homeOpened ?? []);
  if (homeHandlers.length === 0) return;
  app.event('app_home_opened', async ({ body, event }) => {
    if (event.tab !== 'home') return;
    const actor = actorOf(parts.messengerOf, { team: body.team_id, user: event.user });
    for (const opened of homeHandlers)
      await withErrorBoundary(parts, actor, 'app_home_opened', () => opened(actor));
  });
}

function mergeHandlers<T>(parts: readonly (Readonly<Record<string, T>> | undefined)[]): Map<string, T> {
  return new Map(parts.flatMap((part) => Object.entries(part ?? {})));
}
