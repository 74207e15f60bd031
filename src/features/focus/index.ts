import { randomUUID } from 'node:crypto';
import { decidedIn, type FocusFilter, newFocus } from '../../domain/focus.ts';
import { AccountId, type AccountRef, type ChannelId } from '../../domain/terms.ts';
import type { Authorized, Click, Closing, Entry, Feature, Unchecked } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';
import { decodeFocus } from '../shared/focus-frame.ts';
import { noFilter, parseFilter } from '../shared/task-filter.ts';
import { filterOfChannel } from '../shared/waiting-tasks.ts';
import { type ActDeps, createActs } from './acts.ts';
import { createSteps } from './steps.ts';
import { summaryMessage } from './summary.view.ts';

type Deps = ActDeps & Pick<FeatureContext, 'routing'>;

/** The action id of every button that starts a review. Its value is the account, or none. */
const startAction = 'focus.start';

/** Somebody who can be shown a modal. */
type Starter = Authorized & { readonly triggerId: string; readonly channel?: ChannelId };

/** Creates focus review: one modal in which a person goes through the tasks that wait. */
export function createFocus(deps: Deps): Feature {
  const { focusSessions, taskLeases } = deps;
  const steps = createSteps(deps);
  const { walk } = steps;
  const acts = createActs(deps, steps);

  /** Opens a review. @param filterOf says which tasks it goes through */
  async function start(
    starter: Starter,
    account: AccountId | undefined,
    filterOf: (ref: AccountRef) => Promise<FocusFilter>,
  ): Promise<void> {
    const { workspace, member, channel, triggerId } = starter;
    const ref = await starter.authorize(account === undefined ? {} : { account });
    const filter = await filterOf(ref);
    const before = await focusSessions.latest(ref, member);
    // Whoever begins again has left what they looked at.
    if (before !== undefined) await taskLeases.releaseAll(ref, before.id);
    const id = randomUUID();
    const session = newFocus({ id, member, filter, ...(channel ? { channel } : {}) }, before);
    await focusSessions.create(ref, session);
    const standing = await walk.hold(ref, session, { count: 1 });
    const shown = await walk.show(ref, standing);
    const viewId = await steps.views.open(workspace, triggerId, shown.view);
    await steps.prepareNext(ref, standing.session, { workspace, viewId, shown });
  }

  /** Ends a review whose modal was closed: its tasks are free at once, and the person is told what they did. */
  async function close(closing: Unchecked<Closing>): Promise<void> {
    const { workspace, member } = closing;
    const state = decodeFocus(closing.state);
    const ref = { workspace, account: state.account };
    const before = await focusSessions.get(ref, state.session);
    if (before?.member !== member) return;
    const { left } = await walk.hold(ref, before, { count: 1 });
    const { session, isChanged } = await focusSessions.change(ref, before.id, (one) =>
      one.ended ? undefined : { ...one, ended: true, ahead: [] },
    );
    // What is still being loaded for it sees that it has ended, and leases nothing.
    await taskLeases.releaseAll(ref, before.id);
    if (session === undefined || !isChanged || decidedIn(session) === 0) return;
    const { channel } = session;
    await deps.messengerOf(workspace).answer({ member, channel }, summaryMessage(session, left));
  }

  async function startFromButton(click: Click): Promise<void> {
    const account = click.value === 'none' ? undefined : AccountId.parse(click.value);
    const { channel } = click;
    const isInChannel = account !== undefined && channel !== undefined;
    await start(click, account, async (ref) =>
      isInChannel ? filterOfChannel(deps, ref, channel) : noFilter,
    );
  }

  const closings: Entry<Closing> = { needs: 'anyone', run: close };
  return {
    commands: [
      {
        command: '/review',
        word: '',
        usage: '[campaign or filter]',
        help: 'Goes through the waiting tasks one by one, what runs out first. Filters: part of a title or of the proof, `worker:…`, `country:…`, `waiting:2d`.',
        needs: 'rate',
        run: (command) =>
          start(command, undefined, async (ref) =>
            command.text.trim() === '' ? noFilter : parseFilter(command.text, await deps.campaigns.all(ref)),
          ),
      },
    ],
    shortcuts: {
      start_review: { needs: 'rate', run: (shortcut) => start(shortcut, undefined, async () => noFilter) },
    },
    clicks: {
      [startAction]: { needs: 'rate', run: startFromButton },
      'focus.revise': { needs: 'rate', run: acts.openForm('REVISE') },
      'focus.nok': { needs: 'rate', run: acts.openForm('NOK') },
      'focus.more.extras': { needs: 'rate', run: acts.openForm('OK') },
      'focus.more.exclude': { needs: 'exclude', run: acts.openExclude },
      'focus.more.files': { needs: 'rate', run: acts.openFiles },
      'focus.more.instructions': { needs: 'see', run: acts.openInstructions },
      'focus.skip': { needs: 'rate', run: acts.skip },
      'focus.undo': { needs: 'rate', also: ['undo'], run: acts.undo },
      'focus.back': { needs: 'rate', run: acts.back },
      'focus.again': { needs: 'rate', run: acts.again },
      'focus.skipped': { needs: 'rate', run: acts.again },
    },
    submissions: {
      'focus.task': { needs: 'rate', run: acts.submitOk },
      'focus.reason': { needs: 'rate', run: acts.submitReason },
      'focus.extras': {
        needs: 'rate',
        also: ['bonus'],
        run: acts.submitExtras,
      },
      'focus.exclude': { needs: 'exclude', run: acts.submitExclude },
    },
    closings: {
      'focus.task': closings,
      'focus.reason': closings,
      'focus.extras': closings,
      'focus.exclude': closings,
      'focus.waiting': closings,
      'focus.done': closings,
    },
  };
}
