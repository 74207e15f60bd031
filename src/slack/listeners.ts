import type { App, BlockAction } from '@slack/bolt';
import { nearest } from '../domain/evidence/texts.ts';
import { type Capability, Forbidden } from '../domain/permissions.ts';
import { type AccountRef, ChannelId, type WorkspaceId } from '../domain/terms.ts';
import { NotConnected, UserError } from '../errors.ts';
import {
  context,
  inputErrors,
  type Message,
  plainErrors,
  removed,
  section,
  viewWithError,
} from './blocks.ts';
import { connectEvents, type EventRetry } from './events.ts';
import type { AccessRequest, Actor, Authorized, CommandRoute, Entry, Feature, Unchecked } from './feature.ts';
import {
  actorIn,
  actorOf,
  askerOf,
  clickOf,
  type ErrorBoundary,
  messageOf,
  openerOf,
  openView,
  reportFailure,
  withErrorBoundary,
} from './interactions.ts';
import type { Messenger } from './messenger.ts';
import { escaped, inline } from './mrkdwn.ts';

/** Decides who may do what; implemented in src/kit/access.ts. */
interface AccessChecks {
  /** Returns the account if the person has all the rights. Throws NotConnected or Forbidden. */
  authorize(actor: Actor, needs: readonly Capability[], request: AccessRequest): Promise<AccountRef>;
  /** Throws Forbidden unless the person is a full member of the workspace. */
  requireMember(actor: Actor): Promise<void>;
}

export interface ListenerParts extends ErrorBoundary {
  /** Called with all work in progress, so that a stop can wait for it. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  readonly access: AccessChecks;
  readonly features: readonly Feature[];
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** Resolves to true for the first delivery of an id; to false when it was delivered before, to any process. */
  readonly claimOnce: (workspace: WorkspaceId, id: string) => Promise<boolean>;
  /** Retries an event's listener until it succeeds: Slack does not repeat an acked event. */
  readonly retryEvent: EventRetry;
  /** @param organization of the workspaces, where they have one */
  readonly onAppRemoved: (workspaces: readonly string[], organization?: string) => Promise<void>;
  /** Whether the app was removed: from then on no data of its only workspace may be stored. */
  readonly isRetired: () => boolean;
}

/**
 * Runs an entry for a person. An entry that needs a right receives `authorize`, which checks it at the time of the action:
 * the only way from a person to an account.
 */
export async function runEntry<Input extends Authorized, Output>(
  access: AccessChecks,
  entry: Entry<Input, Output>,
  input: Unchecked<Input> & Actor,
): Promise<Output> {
  const { needs } = entry;
  if (needs === 'anyone' || needs === 'member') {
    if (needs === 'member') await access.requireMember(input);
    return entry.run(input);
  }
  const authorize = async (request: AccessRequest = {}) => {
    const { also } = request;
    if (also !== undefined && !entry.also?.includes(also))
      throw new Error(`${also} is not named by the entry`);
    return access.authorize(input, also === undefined ? [needs] : [needs, also], request);
  };
  return entry.run({ ...input, authorize } as unknown as Input);
}

/**
 * Registers the features' handlers with Bolt: runs them, acks payloads that need an answer, and answers failures privately.
 */
export function registerListeners(app: App, parts: ListenerParts): void {
  const routes = commandTable(parts.features);
  const clicks = mergeHandlers(parts.features.map(({ clicks: own }) => own));
  const submissions = mergeHandlers(parts.features.map(({ submissions: own }) => own));
  const closings = mergeHandlers(parts.features.map(({ closings: own }) => own));
  const typings = mergeHandlers(parts.features.map(({ typings: own }) => own));
  const shortcuts = mergeHandlers(parts.features.map(({ shortcuts: own }) => own));

  app.command(/^\//, async ({ body, context }) => {
    const actor = actorOf(parts.messengerOf, {
      team: context.teamId,
      user: body.user_id,
      userTeam: body.team_id,
      how: 'command',
      channel: body.channel_id,
      responseUrl: body.response_url,
    });
    await withErrorBoundary(parts, actor, body.command, async () => {
      if (!(await parts.claimOnce(actor.workspace, `command ${body.trigger_id}`))) return;
      const found = route(routes, body.command, body.text);
      parts.logger.debug({ command: body.command, word: found.route.word }, 'command routed');
      const channel = ChannelId.parse(body.channel_id);
      await runEntry(parts.access, found.route, {
        ...actor,
        channel,
        text: found.text,
        ...openerOf(parts.messengerOf(actor.workspace), actor, body.trigger_id, { channel }),
      });
    });
  });

  app.action<BlockAction>(/.*/, async ({ body, action, context }) => {
    const click = clickOf(parts.messengerOf, context.teamId, body, action);
    const entry = clicks.get(click.actionId) ?? ofRemoved;
    // Slack opens a link button by itself.
    if (entry === ofRemoved && 'url' in action) return;
    const told = { ...click, answer: click.fail ?? click.answer };
    await withErrorBoundary(parts, told, click.actionId, async () => {
      if (entry.once && !(await parts.claimOnce(click.workspace, `click ${click.id}`))) return;
      if (entry.isSlow) await click.showLoading?.();
      await runEntry(parts.access, entry, click);
    });
  });

  app.event('entity_details_requested', async ({ context, event }) => {
    const actor = actorOf(parts.messengerOf, { team: context.teamId, user: event.user, how: 'click' });
    const present = parts.messengerOf(actor.workspace).presentDetails;
    const told = {
      ...actor,
      answer: ({ text }: Message) => present(event.trigger_id, { problem: text }),
    };
    const opening = { ...actor, entity: event.external_ref?.id ?? '' };
    for (const { entityOpened } of parts.features)
      if (entityOpened)
        await withErrorBoundary(parts, told, 'entity_details_requested', async () =>
          present(event.trigger_id, await runEntry(parts.access, entityOpened, opening)),
        );
  });

  app.view(/.*/, async ({ ack, body, context, view }) => {
    const entry = submissions.get(view.callback_id) ?? ofRemoved;
    const actor = actorIn(parts.messengerOf, context.teamId, body, 'form');
    let failure: Message | undefined;
    const answer = await reportFailure(
      parts,
      view.callback_id,
      () =>
        runEntry(parts.access, entry, {
          ...actor,
          ...openView(view),
          ...askerOf(parts.messengerOf(actor.workspace), actor.member, { view: view.id }, actor.answer),
        }),
      (message) => {
        failure = message;
      },
    );
    // A modal whose submission failed stays open, so that no input is lost. Slack shows errors beside inputs only.
    const errors = failure && inputErrors(view, failure);
    if (failure && errors) {
      await ack({ response_action: 'errors', errors });
      // Errors beside inputs have no buttons.
      if (failure.blocks.some(({ type }) => type === 'actions')) await actor.answer(failure);
    } else if (failure) {
      await ack({ response_action: 'update', view: viewWithError(view, failure) });
    } else if (answer?.errors) await ack({ response_action: 'errors', errors: plainErrors(answer.errors) });
    else if (answer?.update) await ack({ response_action: 'update', view: answer.update });
    else await ack();
    const afterwards = answer?.afterwards;
    if (afterwards === undefined) return;
    await withErrorBoundary(parts, actor, view.callback_id, async () => {
      // Only an update of the view gives it another hash.
      if (await parts.claimOnce(actor.workspace, `submission ${view.id} ${view.hash}`)) await afterwards();
    });
  });

  app.view({ type: 'view_closed', callback_id: /.*/ }, async ({ body, context, view }) => {
    const entry = closings.get(view.callback_id);
    if (entry === undefined) return;
    const actor = actorIn(parts.messengerOf, context.teamId, body, 'form');
    await withErrorBoundary(parts, actor, view.callback_id, () =>
      runEntry(parts.access, entry, { ...actor, ...openView(view) }),
    );
  });

  app.options<'block_suggestion'>(/.*/, async ({ ack, body, context }) => {
    const entry = typings.get(body.action_id);
    const actor = actorIn(parts.messengerOf, context.teamId, body, 'form', { channel: body.channel?.id });
    const view = body.view ? { view: openView(body.view) } : {};
    const found =
      entry &&
      (await withErrorBoundary(parts, actor, body.action_id, () =>
        // People without the right get no options: a message for each letter typed would help nobody.
        runEntry(parts.access, entry, { ...actor, text: body.value, ...view }).catch(noOptions),
      ));
    if (found === undefined) await ack({ options: [] });
    else if (Array.isArray(found)) await ack({ options: found });
    else await ack({ option_groups: found.groups });
  });

  app.shortcut(/.*/, async ({ body, context }) => {
    const entry = shortcuts.get(body.callback_id) ?? ofRemoved;
    const onMessage = body.type === 'message_action' ? body : undefined;
    const actor = actorIn(parts.messengerOf, context.teamId, body, 'click', {
      channel: onMessage?.channel.id,
      responseUrl: onMessage?.response_url,
    });
    const message = onMessage ? { message: messageOf(onMessage) } : {};
    await withErrorBoundary(parts, actor, body.callback_id, () =>
      runEntry(parts.access, entry, {
        ...actor,
        ...message,
        ...openerOf(parts.messengerOf(actor.workspace), actor, body.trigger_id),
      }),
    );
  });

  connectEvents(app, parts);
}

/** Answers whoever uses a button, menu entry or form whose feature was removed. */
const ofRemoved: Entry<Authorized, never> = {
  needs: 'anyone',
  async run() {
    throw new UserError(removed);
  },
};

/** Returns no options for people who may not see them. */
function noOptions(error: unknown): [] {
  if (error instanceof Forbidden || error instanceof NotConnected) return [];
  throw error;
}

function mergeHandlers<T>(parts: readonly (Readonly<Record<string, T>> | undefined)[]): Map<string, T> {
  return new Map(parts.flatMap((part) => Object.entries(part ?? {})));
}

/** Returns the table of all commands, each with help, which also answers the command alone where nothing else does. */
export function commandTable(features: readonly Feature[]): CommandRoute[] {
  const routes = features.flatMap((feature) => feature.commands ?? []);
  const helps = [...new Set(routes.map(({ command }) => command))].flatMap((command): CommandRoute[] => {
    const first = {
      command,
      word: 'help',
      usage: '',
      help: command === '/proofdesk' ? 'Lists every command.' : '',
      needs: 'anyone',
      run: ({ answer }) => answer(help(commandTable(features))),
    } satisfies CommandRoute;
    const isBareKnown = routes.some((route) => route.command === command && route.word === '');
    return isBareKnown ? [first] : [first, { ...first, word: '', help: '' }];
  });
  return [...routes, ...helps];
}

/**
 * Finds the route of a command: the first word selects it, the rest is its text. The command alone runs the route without
 * a word. Throws a UserError that names the nearest command when the word is unknown.
 */
export function route(
  routes: readonly CommandRoute[],
  command: string,
  typed: string,
): { readonly route: CommandRoute; readonly text: string } {
  const own = routes.filter((candidate) => candidate.command === command);
  const [word = '', ...rest] = typed.trim().split(/\s+/);
  const exact = own.find((candidate) => candidate.word === word.toLowerCase());
  if (exact) return { route: exact, text: rest.join(' ') };
  const free = own.find((candidate) => candidate.word === '' && candidate.usage !== '');
  if (free) return { route: free, text: typed.trim() };
  const near = nearest(
    word.toLowerCase(),
    own.map((candidate) => candidate.word).filter((known) => known !== ''),
  );
  throw new UserError(
    `There is no \`${command} ${inline(word, 40)}\`. ${near ? `Did you mean \`${command} ${near}\`? ` : ''}All commands: \`${command} help\`.`,
  );
}

const titles: Readonly<Record<CommandRoute['command'], string>> = {
  '/review': 'Review',
  '/campaign': 'Campaigns',
  '/inbox': 'Inbox',
  '/proofdesk': 'Your account and this channel',
};

const perSection = 8;

const repliesHelp = [
  '*In the thread of a card*, in channels whose settings allow it (`/proofdesk subscriptions`)',
  '`note text`  Leaves a note for colleagues on the card. The worker does not see it.',
].join('\n');

/** Returns help, from the routing table. */
export function help(routes: readonly CommandRoute[]): Message {
  const shown = routes.filter((candidate) => candidate.help !== '');
  const blocks = Object.entries(titles).flatMap(([command, title]) => {
    const lines = shown.filter((candidate) => candidate.command === command).map(helpLine);
    const sections = [];
    for (let start = 0; start < lines.length; start += perSection) {
      const heading = start === 0 ? `*${title}*\n` : '';
      sections.push(section(heading + lines.slice(start, start + perSection).join('\n')));
    }
    return sections;
  });
  const note = 'Answers to commands are only visible to you, unless they say otherwise.';
  return {
    text: `Commands: ${shown.map(({ command, word }) => `${command} ${word}`.trim()).join(', ')}`,
    blocks: [...blocks, section(repliesHelp), context(note)],
  };
}

function helpLine({ command, word, usage, help: text }: CommandRoute): string {
  const call = [command, word, usage].filter((part) => part !== '').join(' ');
  return `\`${escaped(call)}\`  ${text}`;
}
