import type { ModalView, OptionGroup, PlainTextOption } from '@slack/types';
import type { ActedBy } from '../domain/audit.ts';
import type { Capability } from '../domain/permissions.ts';
import type { Reply } from '../domain/reply.ts';
import type {
  AccountId,
  AccountRef,
  ChannelId,
  MemberId,
  TaskId,
  Verdict,
  WorkspaceId,
} from '../domain/terms.ts';
import type { Message } from './blocks.ts';
import type { WrittenText } from './written-text.ts';

/** Somebody who did something; `answer` answers them privately, wherever they are. */
export interface Actor {
  /** Where it was done. */
  readonly workspace: WorkspaceId;
  /** The person's own workspace: another one for people of another company in a shared channel. */
  readonly team: WorkspaceId;
  readonly member: MemberId;
  /** How they did it, for the audit. */
  readonly how: ActedBy;
  readonly answer: (message: Message) => Promise<void>;
}

/** For which account, and with which rights, something is to be done. */
export interface AccessRequest {
  /** Absent: the account that the person acts for. */
  readonly account?: AccountId | undefined;
  /** A right that it takes besides the one that the entry names in `needs`; one of those in its `also`. */
  readonly also?: Capability | undefined;
  /** Nothing is done yet, such as while a form is filled in: what is remembered of the person is enough. */
  readonly isPreparing?: boolean;
  /**
   * What spends money may be asked for instead: whoever may see the account gets it, and what is not theirs to do becomes a
   * request (src/features/shared/spending.ts).
   */
  readonly isAsking?: boolean;
  /** What the person wanted to do, encoded: carried out once they are connected. */
  readonly intent?: string | undefined;
}

/**
 * Returns the account that something is done for, once the person has the right that the entry names: there is no other
 * way to an account from what somebody did. The right is checked at every call. Throws NotConnected or Forbidden.
 */
export type Authorize = (request?: AccessRequest) => Promise<AccountRef>;

/** Somebody who did something that takes a right. */
export interface Authorized extends Actor {
  readonly authorize: Authorize;
}

/** A slash command, without its first word. */
export interface Command extends Authorized {
  readonly channel: ChannelId;
  /** The text behind the first word. */
  readonly text: string;
  /** For one modal, within 3 seconds. */
  readonly triggerId: string;
}

/** A click on a button or a choice in a select, in a message or a modal. */
export interface Click extends Authorized {
  /** Identifies the click, also when it is delivered twice. */
  readonly id: string;
  /** When it was done, by Slack's clock (`action_ts`): deliveries may arrive in another order. */
  readonly ts: string;
  readonly actionId: string;
  readonly blockId: string;
  /** The button's value, the value or date (YYYY-MM-DD) chosen; of several chosen ones the first. */
  readonly value: string;
  /** The state of the selects and pickers in the message that was clicked in. */
  readonly values: Values;
  readonly triggerId: string;
  readonly channel?: ChannelId;
  readonly message?: { readonly channel: ChannelId; readonly ts: string };
  readonly view?: OpenView;
  /** Changes the message that was clicked in later, such as from a modal that the click opens. */
  readonly responseUrl?: string;
  /** Changes the ephemeral message that was clicked in, or the modal that shows one; does nothing elsewhere. */
  readonly replace: (message: Message) => Promise<void>;
  /** Opens the modal that the answer will be shown in, where that is one (src/slack/message-modal.ts); absent elsewhere. */
  readonly showLoading?: () => Promise<void>;
}

export interface OpenView {
  readonly id: string;
  /** Identifies this state of the view. */
  readonly hash: string;
  readonly callbackId: string;
  /** What {@link modal} was given as `state`. */
  readonly state: string;
  readonly values: Values;
}

/** A modal was submitted. */
export interface Submission extends Authorized, OpenView {}

/**
 * The immediate answer to a submission: errors beside their inputs, another view in its place, or undefined, which closes
 * this modal. `afterwards` runs after Slack has its answer.
 */
export interface SubmissionAnswer {
  readonly errors?: Readonly<Record<string, string>>;
  readonly update?: ModalView;
  readonly afterwards?: () => Promise<void>;
}

/** A modal with `notifyOnClose` was closed by the person: canceled, or closed with the whole stack. */
export interface Closing extends Authorized, OpenView {}

/** Somebody types into a select that loads its options from the bot. */
export interface Typing extends Authorized {
  readonly text: string;
  readonly view?: OpenView;
}

/** A shortcut was chosen from Slack's menu, or from that of a message. */
export interface Shortcut extends Authorized {
  readonly triggerId: string;
  /** The message that it was chosen on, with what that shows. */
  readonly message?: {
    readonly channel: ChannelId;
    readonly ts: string;
    readonly blocks: readonly unknown[];
  };
}

/** A reply in the thread of a card that asks for something. */
export interface CardReply extends Authorized {
  readonly account: AccountId;
  readonly task: TaskId;
  /** The round of the card: it may be over. */
  readonly round: number;
  /** Names what the reply does, however often it is delivered. */
  readonly id: string;
  readonly asks: Reply;
  readonly written: WrittenText;
  readonly isEdited: boolean;
}

/** What is answered in the thread; `rated`: the reply made a decision, and where that stands in the message. */
export interface ReplyAnswer {
  readonly message: Message;
  readonly rated?: { readonly verdict: Verdict; readonly shown: string };
}

/** A person wrote a reply in a thread, or changed or deleted it. */
export interface ThreadReply {
  readonly workspace: WorkspaceId;
  /** The person's own workspace: another one for people of another company in a shared channel. */
  readonly team: WorkspaceId;
  readonly member: MemberId;
  readonly channel: ChannelId;
  /** The timestamp of the message that the thread belongs to. */
  readonly thread: string;
  readonly ts: string;
  readonly change: 'new' | 'changed' | 'deleted';
  /** What it says, as Slack writes it; of one that was changed, what it said before too. */
  readonly texts: readonly string[];
}

/** Who may do something that takes no role: anyone, or only full members of the workspace. */
export type WithoutRole = 'anyone' | 'member';

/** What somebody did, where it takes no role: it leads to no account. */
export type Unchecked<Input extends Authorized> = Omit<Input, 'authorize'>;

/** Something that people can do: the right that it takes, and what it runs. */
export type Entry<Input extends Authorized, Output = void> =
  | {
      readonly needs: Capability;
      /** Further rights that it may take, depending on what is asked for. */
      readonly also?: readonly Capability[];
      /** It asks the marketplace before it answers: a click that a modal answers shows at once that it is loading. */
      readonly isSlow?: boolean;
      readonly run: (input: Input) => Promise<Output>;
    }
  | {
      readonly needs: WithoutRole;
      readonly also?: never;
      readonly isSlow?: never;
      readonly run: (input: Unchecked<Input>) => Promise<Output>;
    };

/** Entries by action id, callback id or the like. */
export type Entries<Input extends Authorized, Output = void> = Readonly<Record<string, Entry<Input, Output>>>;

/** A person of the workspace is another than before: their name, kind or state. */
export interface MemberEvent {
  readonly workspace: WorkspaceId;
  readonly member: MemberId;
  readonly isDeactivated: boolean;
}

/** An event of a channel that concerns the bot itself. */
export interface ChannelEvent {
  readonly workspace: WorkspaceId;
  readonly channel: ChannelId;
  /** The member concerned; absent for events about the channel as a whole. */
  readonly member?: MemberId;
}

/** Somebody deleted a message of the bot. `blocks` is what it showed. */
export interface DeletedMessage {
  readonly workspace: WorkspaceId;
  readonly channel: ChannelId;
  readonly ts: string;
  readonly blocks: readonly unknown[];
}

/** The inputs of a modal by their names (block ids), as Slack reports them. */
export type Values = Readonly<Record<string, Readonly<Record<string, ElementState>>>>;

export interface ElementState {
  readonly value?: string | null;
  readonly selected_option?: { readonly value?: string } | null;
  readonly selected_options?: readonly { readonly value?: string }[];
  readonly selected_user?: string | null;
  readonly selected_users?: readonly string[];
  readonly selected_channel?: string | null;
  readonly selected_conversation?: string | null;
  readonly selected_date?: string | null;
  readonly selected_time?: string | null;
  readonly selected_date_time?: number | null;
  readonly files?: readonly AttachedFile[];
}

/** A file in a file input, as Slack reports it. */
export interface AttachedFile {
  readonly id: string;
  readonly name?: string;
  /** Bytes. */
  readonly size?: number;
  readonly mimetype?: string;
  readonly url_private_download?: string;
  readonly is_external?: boolean;
}

/** Returns what was typed into an input, trimmed; '' when nothing was. */
export function typed(values: Values, name: string): string {
  return stateOf(values, name)?.value?.trim() ?? '';
}

/** Returns the value chosen in a select or radio group, or undefined. */
export function chosen(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_option?.value ?? undefined;
}

/** Returns the day (YYYY-MM-DD) picked in a date picker, or undefined. */
export function pickedDay(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_date ?? undefined;
}

/** Returns the time of day (HH:mm) picked in a time picker, or undefined. */
export function pickedTime(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_time ?? undefined;
}

/** Returns the member chosen in a select of people, or undefined. */
export function pickedMember(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_user ?? undefined;
}

/** Returns the values chosen in a multi-select or checkboxes. */
export function chosenMany(values: Values, name: string): string[] {
  return (stateOf(values, name)?.selected_options ?? []).flatMap(({ value }) => (value ? [value] : []));
}

/** Returns the members chosen in a select of several. */
export function chosenUsers(values: Values, name: string): readonly string[] {
  return stateOf(values, name)?.selected_users ?? [];
}

/** Returns the channel chosen in a select of conversations, or undefined. */
export function chosenChannel(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_conversation ?? undefined;
}

/** Returns the files attached in a file input. */
export function attached(values: Values, name: string): readonly AttachedFile[] {
  return stateOf(values, name)?.files ?? [];
}

function stateOf(values: Values, name: string): ElementState | undefined {
  return Object.values(values[name] ?? {})[0];
}

/** One row of the table of commands. */
export type CommandRoute = {
  readonly command: '/campaign' | '/inbox' | '/proofdesk' | '/review';
  /** The first word; '' is the command alone. */
  readonly word: string;
  /** What may follow the word, as help shows it, such as `<id> <positions>`. */
  readonly usage: string;
  readonly help: string;
} & Entry<Command>;

/** Everything that people can do with a feature; each entry names the right that it takes. */
export interface Feature {
  readonly commands?: readonly CommandRoute[];
  /**
   * By action id. An overflow menu that several features fill is one action: the first word of an option's value picks
   * `<action id>.<word>`, and the rest is the click's value (`menuValue` in src/slack/blocks.ts).
   */
  readonly clicks?: Entries<Click>;
  /** By callback id. */
  readonly submissions?: Entries<Submission, SubmissionAnswer | undefined>;
  /** By callback id. */
  readonly closings?: Entries<Closing>;
  /** By action id. */
  readonly typings?: Entries<Typing, PlainTextOption[] | { groups: OptionGroup[] }>;
  readonly shortcuts?: Entries<Shortcut>;
  readonly channelEvents?: Readonly<
    Partial<
      Record<
        | 'member_joined_channel'
        | 'member_left_channel'
        | 'channel_left'
        | 'channel_archive'
        | 'channel_unarchive'
        | 'channel_deleted'
        | 'channel_shared',
        (event: ChannelEvent) => Promise<void>
      >
    >
  >;
  readonly memberChanged?: (event: MemberEvent) => Promise<void>;
  /** A user group has other members than before. */
  readonly groupChanged?: (event: { workspace: WorkspaceId; group: string }) => Promise<void>;
  /** What a reply in the thread of a card may ask for, by its first word; run by the job `thread-reply`. */
  readonly replies?: Entries<CardReply, ReplyAnswer | undefined>;
  readonly threadReply?: (event: ThreadReply) => Promise<void>;
  readonly messageDeleted?: (event: DeletedMessage) => Promise<void>;
  readonly homeOpened?: (actor: Actor) => Promise<void>;
}
