import { randomBytes } from 'node:crypto';
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
import { UserError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { type Message, section } from './blocks.ts';
import { help, route } from './commands.ts';
import { SlackFailure } from './failure.ts';
import type { Actor, Click, CommandRoute, Feature, OpenView, Values } from './feature.ts';
import type { Address, Messenger } from './messenger.ts';
import { plain } from './mrkdwn.ts';

export interface Plumbing {
  readonly features: readonly Feature[];
  readonly messengerOf: (workspace: string) => Messenger;
  /** The first time something is delivered: true; when it was delivered before (to any process): false. */
  readonly firstDelivery: (id: string) => Promise<boolean>;
  /** What to say of an error that people can do something about; undefined: a fault of ours. */
  readonly explain: (error: unknown) => Message | undefined;
  readonly logger: Logger;
  /** Told of everything under way, so that a stop can wait for it. */
  readonly underWay: <T>(work: Promise<T>) => Promise<T>;
}

/** The table of all commands, with help for each taken from the table itself. */
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

/** Registers everything the features bring with Bolt: acks at once, then runs; whatever fails is said privately. */
export function connectFeatures(app: App, plumbing: Plumbing): void {
  const routes = commandTable(plumbing.features);
  const clicks = merged(plumbing.features.map(({ clicks: own }) => own));
  const submissions = merged(plumbing.features.map(({ submissions: own }) => own));
  const typings = merged(plumbing.features.map(({ typings: own }) => own));
  const shortcuts = merged(plumbing.features.map(({ shortcuts: own }) => own));

  app.command(/^\//, async ({ ack, body }: SlackCommandMiddlewareArgs & AllMiddlewareArgs) => {
    await ack();
    const actor = actorOf(plumbing, body.team_id, {
      member: body.user_id,
      channel: body.channel_id,
      responseUrl: body.response_url,
    });
    await guard(plumbing, actor, body.command, async () => {
      if (!(await plumbing.firstDelivery(`command ${body.trigger_id}`))) return;
      const found = route(routes, body.command, body.text);
      await found.route.run({
        ...actor,
        channel: body.channel_id,
        text: found.text,
        triggerId: body.trigger_id,
      });
    });
  });

  app.action(
    /.*/,
    async ({ ack, body, action }: SlackActionMiddlewareArgs<BlockAction> & AllMiddlewareArgs) => {
      await ack();
      const click = picked(clickOf(plumbing, body, action), action.type);
      const run = clicks.get(click.actionId);
      if (run === undefined) return;
      await guard(plumbing, click, click.actionId, () => run(click));
    },
  );

  app.view(/.*/, async ({ ack, body, view }: SlackViewMiddlewareArgs & AllMiddlewareArgs) => {
    const run = body.type === 'view_submission' ? submissions.get(view.callback_id) : undefined;
    if (run === undefined) return ack();
    const actor = actorOf(plumbing, body.team?.id ?? '', { member: body.user.id });
    let failure: string | undefined;
    const answer = await tellFailure(
      plumbing,
      view.callback_id,
      () => run({ ...actor, ...openView(view) }),
      ({ text }) => {
        failure = text;
      },
    );
    // A modal that cannot be taken stays open, so that nothing typed is lost.
    const errors = failure === undefined ? answer?.errors : { [firstInput(view.blocks)]: failure };
    if (errors) await ack({ response_action: 'errors', errors: { ...errors } });
    else if (answer?.update) await ack({ response_action: 'update', view: answer.update });
    else await ack();
    const afterwards = answer?.afterwards;
    if (afterwards) await guard(plumbing, actor, view.callback_id, afterwards);
  });

  app.options(
    /.*/,
    async ({ ack, body }: SlackOptionsMiddlewareArgs<'block_suggestion'> & AllMiddlewareArgs) => {
      const run = typings.get(body.action_id);
      const actor = actorOf(plumbing, body.team?.id ?? '', {
        member: body.user.id,
        channel: body.channel?.id,
      });
      const view = body.view ? { view: openView(body.view) } : {};
      const found =
        run &&
        (await guard(plumbing, actor, body.action_id, () => run({ ...actor, text: body.value, ...view })));
      if (found === undefined) await ack({ options: [] });
      else if (Array.isArray(found)) await ack({ options: found });
      else await ack({ option_groups: found.groups });
    },
  );

  app.shortcut(/.*/, async ({ ack, body }: SlackShortcutMiddlewareArgs & AllMiddlewareArgs) => {
    await ack();
    const run = shortcuts.get(body.callback_id);
    const actor = actorOf(plumbing, body.team?.id ?? '', { member: body.user.id });
    if (run)
      await guard(plumbing, actor, body.callback_id, () => run({ ...actor, triggerId: body.trigger_id }));
  });

  connectEvents(app, plumbing);
}

/** Slack's events by what they are to us: private channels have names of their own for the same things. */
export const channelEvents = {
  member_joined_channel: 'member_joined_channel',
  channel_left: 'channel_left',
  group_left: 'channel_left',
  channel_archive: 'channel_archive',
  group_archive: 'channel_archive',
  channel_unarchive: 'channel_unarchive',
  group_unarchive: 'channel_unarchive',
} as const;

function connectEvents(app: App, plumbing: Plumbing): void {
  for (const [event, meaning] of Object.entries(channelEvents)) {
    const listeners = plumbing.features.flatMap(({ channelEvents: own }) => own?.[meaning] ?? []);
    app.event(event, async ({ body }) => {
      if (!(await plumbing.firstDelivery(`event ${body.team_id} ${body.event_id}`))) return;
      const { channel, user } = body.event as { channel: string; user?: string };
      const about = meaning === 'member_joined_channel' && user ? { member: user } : {};
      for (const listener of listeners) {
        await plumbing.underWay(listener({ workspace: body.team_id, channel, ...about }));
      }
    });
  }
  const deletions = plumbing.features.flatMap(({ messageDeleted }) => messageDeleted ?? []);
  if (deletions.length > 0) {
    app.event('message', async ({ body, event, context }) => {
      if (event.subtype !== 'message_deleted') return;
      const { channel, deleted_ts: ts, previous_message: before } = event;
      // Whatever others write and delete is none of our business.
      const isOurs = 'bot_id' in before && before.bot_id === context.botId;
      const blocks = isOurs && 'blocks' in before ? (before.blocks ?? []) : [];
      if (blocks.length === 0) return;
      for (const deleted of deletions) {
        await plumbing.underWay(deleted({ workspace: body.team_id, channel, ts, blocks }));
      }
    });
  }
  const homes = plumbing.features.flatMap(({ homeOpened }) => homeOpened ?? []);
  if (homes.length === 0) return;
  app.event('app_home_opened', async ({ body, event }) => {
    if (event.tab !== 'home') return;
    const actor = actorOf(plumbing, body.team_id, { member: event.user });
    for (const opened of homes) await guard(plumbing, actor, 'app_home_opened', () => opened(actor));
  });
}

/** Runs what somebody asked for; when it fails, tells them privately what to do about it. */
async function guard<T>(
  plumbing: Plumbing,
  actor: Actor,
  what: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  return tellFailure(plumbing, what, run, async (message) => {
    await plumbing.underWay(actor.answer(message)).catch((failure: unknown) => {
      plumbing.logger.warn({ err: failure, what }, 'a failure could not be told');
    });
  });
}

/** Runs something; when it fails, hands what to say of it to `tell`. A fault of ours is logged under an id. */
async function tellFailure<T>(
  { underWay, explain, logger }: Plumbing,
  what: string,
  run: () => Promise<T>,
  tell: (message: Message) => Promise<void> | void,
): Promise<T | undefined> {
  try {
    return await underWay(run());
  } catch (error) {
    if (error instanceof SlackFailure && triggerSpent.has(error.code)) return undefined;
    const known = error instanceof UserError ? said(error.message) : explain(error);
    if (known !== undefined) {
      await tell(known);
      return undefined;
    }
    const id = randomBytes(4).toString('hex');
    logger.error({ err: error, id, what }, 'something failed');
    await tell(
      said(
        `Something went wrong on our side, and nothing was changed that is not shown. Try again; if it happens again, tell your administrator the id \`${id}\`.`,
      ),
    );
    return undefined;
  }
}

function said(sentence: string): Message {
  return { text: plain(sentence), blocks: [section(sentence)] };
}

function firstInput(blocks: readonly { type: string; block_id?: string }[]): string {
  const found = blocks.find(({ type }) => type === 'input') ?? blocks[0];
  return found?.block_id ?? '';
}

/** The same click was delivered twice, or too late: the modal it asks for is open, or the person has moved on. */
const triggerSpent = new Set(['expired_trigger_id', 'exchanged_trigger_id']);

function actorOf(plumbing: Plumbing, workspace: string, address: Address): Actor {
  return {
    workspace,
    member: address.member,
    answer: (message: Message) => plumbing.messengerOf(workspace).answer(address, message),
  };
}

function clickOf(plumbing: Plumbing, body: BlockAction, action: BlockAction['actions'][number]): Click {
  const channel = body.channel?.id ?? body.container.channel_id;
  const ts = body.container.message_ts as string | undefined;
  const workspace = body.team?.id ?? '';
  const member = body.user.id;
  return {
    ...actorOf(plumbing, workspace, { member, channel, responseUrl: body.response_url }),
    id: `${member}-${action.action_ts}`,
    actionId: action.action_id,
    blockId: action.block_id,
    value: chosenValue(action),
    values: (body.state?.values ?? {}) as Values,
    triggerId: body.trigger_id,
    ...(channel ? { channel } : {}),
    ...(channel && ts ? { message: { channel, ts } } : {}),
    ...(body.view ? { view: openView(body.view) } : {}),
    ...(body.response_url ? { responseUrl: body.response_url } : {}),
    async replace(message) {
      if (body.response_url)
        await plumbing.messengerOf(workspace).replaceEphemeral(body.response_url, message);
    },
  };
}

/** In an overflow menu, the first word of the option's value says whose entry it is. */
function picked(click: Click, type: string): Click {
  const word = type === 'overflow' ? /^([a-z]+) /.exec(click.value)?.[1] : undefined;
  if (word === undefined) return click;
  return { ...click, actionId: `${click.actionId}.${word}`, value: click.value.slice(word.length + 1) };
}

function chosenValue(action: BlockAction['actions'][number]): string {
  const state = action as {
    value?: string;
    selected_option?: { value?: string } | null;
    selected_date?: string | null;
  };
  const many = (action as { selected_options?: { value?: string }[] }).selected_options;
  return state.value ?? state.selected_option?.value ?? state.selected_date ?? many?.[0]?.value ?? '';
}

function openView(view: {
  id: string;
  callback_id: string;
  private_metadata: string;
  hash: string;
  state: { values: unknown };
}): OpenView {
  return {
    id: view.id,
    hash: view.hash,
    callbackId: view.callback_id,
    state: view.private_metadata,
    values: view.state.values as Values,
  };
}

function merged<T>(parts: readonly (Readonly<Record<string, T>> | undefined)[]): Map<string, T> {
  return new Map(parts.flatMap((part) => Object.entries(part ?? {})));
}
