import type { Capability } from '../domain/permissions.ts';
import type { Task } from '../domain/task.ts';
import { type AccountId, type AccountRef, TaskId } from '../domain/terms.ts';
import { UserError } from '../errors.ts';
import type {
  Authorized,
  Click,
  Command,
  CommandRoute,
  Entry,
  OpenView,
  Submission,
  SubmissionAnswer,
} from '../slack/feature.ts';
import { decodeCardBlock } from '../slack/message-tags.ts';
import type { BlockStateCodec } from '../ui/list.view.ts';
import { taskRemoved } from '../ui/task.view.ts';
import type { Modules } from './modules.ts';

/*
 * How an action of a person reaches a feature. Each of these decodes what the action is about, checks the right, loads it,
 * and says in one voice when it is gone or out of date. The handler gets it beside the action, acts, and shows the outcome:
 *
 *     clicks: { 'task.links': onCard(modules, 'see', ({ task, open }) => open(linksModal(task))) }
 *
 * onCard: a button of a card, with its task. onList: a click in a list whose block ids carry its state. onButton: a button
 * whose value is encoded. onView: a click in a modal; onForm: its submission. onCommand: a command; onHome: a button that
 * does what one does. What has no key of its own, and must not be done again when Slack delivers a click twice, says `once`.
 */

interface Options {
  readonly needs: Capability;
  /** Further rights for which the handler may call `authorize`. */
  readonly also?: readonly Capability[];
  readonly isSlow?: boolean;
  readonly once?: boolean;
  /** See AccessRequest. */
  readonly isPreparing?: boolean;
  readonly isAsking?: boolean;
}

type Needs = Capability | Options;

/** What an action is about. Without an account, it is for the one that the person acts for. */
interface OfAccount {
  readonly account?: AccountId | undefined;
  readonly [field: string]: unknown;
}

interface Decoder<State> {
  decode(text: string): State;
}

type Handler<Input, Subject, Output = unknown> = (
  input: Omit<Input, keyof Subject> & Subject & { readonly ref: AccountRef },
) => Promise<Output>;

/** Returns what was decoded under a name, and its account. */
const about = <Name extends string, State extends OfAccount>(name: Name, state: State) => ({
  account: state.account,
  subject: { [name]: state } as Record<Name, State>,
});

/** Returns the entry of an action. @param subjectOf decodes what it is about, and its account */
function entryOf<Input extends Authorized, Subject extends object, Output>(
  needs: Needs,
  subjectOf: (input: Input) => { readonly account: AccountId | undefined; readonly subject: Subject },
  run: Handler<Input, Subject, Output>,
): Entry<Input, Output> {
  const options: Options = typeof needs === 'string' ? { needs } : needs;
  const { isPreparing = false, isAsking = false, ...entry } = options;
  return {
    ...entry,
    async run(input: Input) {
      const { account, subject } = subjectOf(input);
      const ref = await input.authorize({ account, isPreparing, isAsking });
      return run({ ...input, ...subject, ref });
    },
  };
}

function clicked<Input extends Authorized>({ run, ...entry }: Entry<Input, unknown>): Entry<Input> {
  return { ...entry, run: async (input: Input) => void (await run(input)) } as Entry<Input>;
}

/** A button of a card: the task it names, what follows that in its value, and the round and decision that the card shows. */
export interface CardSubject {
  readonly task: TaskId;
  readonly value: string;
  readonly round: number;
  readonly decision?: string;
}

/** Returns the card that was clicked, whose task may be unknown. Throws a UserError for a button of no card. */
export function cardOf({
  blockId,
  value,
}: Pick<Click, 'blockId' | 'value'>): CardSubject & { readonly account: AccountId } {
  const card = decodeCardBlock(blockId);
  if (card === undefined) throw new UserError('This button is out of date. Open the card of the task.');
  const [task = '', ...rest] = value.split(' ');
  return { ...card, task: TaskId.parse(task), value: rest.join(' ') };
}

export function onCard(
  { tasks }: Modules,
  needs: Needs,
  run: Handler<Click, Omit<CardSubject, 'task'> & { readonly task: Task }>,
): Entry<Click> {
  const load: Handler<Click, CardSubject> = async (click) => {
    const task = await tasks.get(click.ref, click.task);
    if (task === undefined || task.detailsRemovedAt !== undefined) throw new UserError(taskRemoved);
    return run({ ...click, task });
  };
  const subjectOf = (click: Click) => {
    const { account, ...subject } = cardOf(click);
    return { account, subject };
  };
  return clicked(entryOf(needs, subjectOf, load));
}

export type ListClick<List> = Click & { readonly list: List; readonly ref: AccountRef };

export function onList<List extends OfAccount>(
  codec: Pick<BlockStateCodec<List>, 'decode'>,
  needs: Needs,
  run: Handler<Click, { readonly list: List }>,
): Entry<Click> {
  const subjectOf = ({ blockId }: Click) => {
    const list = codec.decode(blockId);
    if (list === undefined) throw new UserError('This list is out of date. Open it again with its command.');
    return about('list', list);
  };
  return clicked(entryOf(needs, subjectOf, run));
}

export function onButton<Value extends OfAccount>(
  codec: Decoder<Value>,
  needs: Needs,
  run: Handler<Click, { readonly value: Value }>,
): Entry<Click> {
  return clicked(entryOf(needs, ({ value }: Click) => about('value', codec.decode(value)), run));
}

export type ViewClick<State> = Omit<Click, 'view'> & {
  readonly state: State;
  readonly view: OpenView;
  readonly ref: AccountRef;
};

export function onView<State extends OfAccount>(
  codec: Decoder<State>,
  needs: Needs,
  run: Handler<Click, { readonly state: State; readonly view: OpenView }>,
): Entry<Click> {
  const subjectOf = ({ view }: Click) => about('state', codec.decode(view?.state ?? ''));
  return clicked(entryOf(needs, subjectOf, (click) => run({ ...click, view: click.view as OpenView })));
}

export function onForm<State extends OfAccount>(
  codec: Decoder<State>,
  needs: Needs,
  run: Handler<Submission, { readonly state: State }, SubmissionAnswer | undefined>,
): Entry<Submission, SubmissionAnswer | undefined> {
  return entryOf(needs, ({ state }: Submission) => about('state', codec.decode(state)), run);
}

export function onCommand(
  route: Omit<CommandRoute, 'run' | 'needs' | 'also'> & { readonly needs: Capability },
  run: (command: Command & { readonly ref: AccountRef }) => Promise<unknown>,
  request: Pick<Options, 'isPreparing' | 'isAsking'> = {},
): CommandRoute {
  return {
    ...route,
    run: async (command: Command) => void (await run({ ...command, ref: await command.authorize(request) })),
  };
}

export function onHome(
  needs: Capability,
  run: (click: Click & { readonly ref: AccountRef }) => Promise<unknown>,
): Entry<Click> {
  return clicked({
    needs,
    run: async (click) => run({ ...click, ref: await click.authorize() }),
  });
}
