import type { EntityMetadata, ModalView, OptionGroup, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import type { ActedBy } from '../domain/audit.ts';
import type { Capability } from '../domain/permissions.ts';
import {
  type AccountId,
  type AccountRef,
  ChannelId,
  type MemberId,
  type TaskId,
  type WorkspaceId,
} from '../domain/terms.ts';
import type { Message } from './blocks.ts';
import type { Values } from './form-values.ts';

/** A person who acted; `answer` answers them privately, wherever they are. */
export interface Actor {
  readonly workspace: WorkspaceId;
  /** The person's own workspace: another one for people of another company in a shared channel. */
  readonly team: WorkspaceId;
  readonly member: MemberId;
  /** How they did it, for the audit. */
  readonly how: ActedBy;
  readonly answer: (message: Message) => Promise<void>;
}

/** Where something was asked; a form carries it in its state, so that its outcome is shown there. */
export const Origin = z.object({
  channel: ChannelId.optional(),
  /** Of the clicked private message. */
  responseUrl: z.string().optional(),
  /** The modal that shows the clicked message. */
  modal: z.object({ id: z.string(), title: z.string() }).optional(),
  /** The id of any other modal. */
  view: z.string().optional(),
});
export type Origin = z.infer<typeof Origin>;

/** How a person is shown what became of their action. Views go into modals, messages in the place of clicked ones. */
export interface Asker {
  readonly origin: Origin;
  /**
   * Shows an outcome where it was asked, or privately where Slack does not allow that, such as in a closed modal.
   * @param instead what is said privately: mrkdwn, or a message
   * @param at absent: where this action was made
   */
  show(shown: Message, instead?: string | Message, at?: Origin): Promise<void>;
  show(shown: ModalView, instead: string | Message, at?: Origin): Promise<void>;
  /** Shows it like `show`, but nowhere else. Resolves to false where Slack does not allow that. */
  replaceAt(at: Origin, shown: Message | ModalView): Promise<boolean>;
}

/** The account that an action is for, and the rights it needs. */
export interface AccessRequest {
  /** Absent: the account that the person acts for. */
  readonly account?: AccountId | undefined;
  /** An additional right besides the one that the entry names in `needs`; one of those in its `also`. */
  readonly also?: Capability | undefined;
  /** Nothing is done yet, such as while a form is filled in: cached data about the person are enough. */
  readonly isPreparing?: boolean;
  /**
   * Spending may be requested instead: anyone who may see the account gets it, and an action they may not take becomes a
   * request (src/features/people/spending.ts).
   */
  readonly isAsking?: boolean;
  /** The person's intended action, encoded: carried out once they are connected. */
  readonly intent?: string | undefined;
}

export interface Authorized extends Actor {
  /**
   * Returns the account of the action, once the person has the right that the entry names: there is no other way from an
   * action to an account. The right is checked at every call. Throws NotConnected or Forbidden.
   */
  readonly authorize: (request?: AccessRequest) => Promise<AccountRef>;
}

/** A person whose action can open a modal, within the 3 seconds that Slack allows. */
export interface Opener extends Authorized, Asker {
  /** Opens a modal, on top of the one that was clicked in, if any. Returns its id. */
  readonly open: (view: ModalView) => Promise<string>;
}

/** A slash command, without its first word. */
export interface Command extends Opener {
  readonly channel: ChannelId;
  /** The text after the first word. */
  readonly text: string;
}

/** A click on a button or a choice in a select, in a message or a modal. */
export interface Click extends Opener {
  /** Identifies the click: the same for a repeated delivery. */
  readonly id: string;
  /** When it was made, by Slack's clock (`action_ts`): deliveries may arrive out of order. */
  readonly ts: string;
  readonly actionId: string;
  readonly blockId: string;
  /** The button's value, or the value or date (YYYY-MM-DD) chosen; the first one if several were chosen. */
  readonly value: string;
  readonly channel?: ChannelId;
  readonly message?: { readonly channel: ChannelId; readonly ts: string };
  readonly view?: OpenView;
  /** Changes the ephemeral message that was clicked in, or the modal that shows one; does nothing elsewhere. */
  readonly replace: (message: Message) => Promise<void>;
  /** Shows in the clicked modal why the click failed; absent elsewhere, where `answer` does. */
  readonly fail?: (message: Message) => Promise<void>;
  /** Opens the modal that will show the answer, where there is one (src/slack/interactions.ts); absent elsewhere. */
  readonly showLoading?: () => Promise<void>;
}

export interface OpenView {
  readonly id: string;
  /** Identifies this state of the view. */
  readonly hash: string;
  readonly callbackId: string;
  /** The `state` that was passed to {@link modal}. */
  readonly state: string;
  readonly values: Values;
}

export interface Submission extends Authorized, Asker, OpenView {}

/**
 * The immediate answer to a submission: errors beside their inputs, another view in its place, or undefined, which closes
 * this modal. `afterwards` runs after Slack has received the answer, once, however often Slack delivers the submission.
 */
export interface SubmissionAnswer {
  readonly errors?: Readonly<Record<string, string>>;
  readonly update?: ModalView;
  readonly afterwards?: () => Promise<void>;
}

/** A modal with `notifyOnClose` was closed by the person: canceled, or closed with the whole stack. */
export interface Closing extends Authorized, OpenView {}

/** A person types into a select that loads its options from the bot. */
export interface Typing extends Authorized {
  readonly text: string;
  readonly view?: OpenView;
}

/** A person opens what stands beside a message. */
export interface Opening extends Authorized {
  readonly entity: string;
}

/** A shortcut was chosen from Slack's menu, or from that of a message. */
export interface Shortcut extends Opener {
  /** The message that it was chosen on, with its content. */
  readonly message?: {
    readonly channel: ChannelId;
    readonly ts: string;
    readonly blocks: readonly unknown[];
  };
}

/** A reply in the thread of a card that is a note. */
export interface NoteReply extends Authorized {
  readonly account: AccountId;
  readonly task: TaskId;
  /** Idempotency key of the reply, however often it is delivered. */
  readonly id: string;
  /** The note; '' if it says nothing. */
  readonly text: string;
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
  /** Its text, as Slack writes it; for a changed reply, also the previous text. */
  readonly texts: readonly string[];
}

/** The input of an action that needs no role, and so gives no access to an account. */
export type Unchecked<Input extends Authorized> = Omit<Input, 'authorize'>;

export type Entry<Input extends Authorized, Output = void> =
  | {
      readonly needs: Capability;
      /** Further rights that it may need, depending on the request. */
      readonly also?: readonly Capability[];
      /** It calls the marketplace before it answers: a click answered by a modal shows at once that it is loading. */
      readonly isSlow?: boolean;
      /** What it does has no key of its own: a click that Slack delivers twice is handled once. */
      readonly once?: boolean;
      readonly run: (input: Input) => Promise<Output>;
    }
  | {
      /** It needs no role: anyone may do it, or only full members of the workspace. */
      readonly needs: 'anyone' | 'member';
      readonly also?: never;
      readonly isSlow?: never;
      readonly once?: boolean;
      readonly run: (input: Unchecked<Input>) => Promise<Output>;
    };

/** Entries by action id, callback id or the like. */
export type Entries<Input extends Authorized, Output = void> = Readonly<Record<string, Entry<Input, Output>>>;

/** An event of a channel that concerns the bot itself. */
export interface ChannelEvent {
  readonly workspace: WorkspaceId;
  readonly channel: ChannelId;
  /** The member concerned; absent for events about the channel as a whole. */
  readonly member?: MemberId;
}

/** Slack's events by meaning: private channels have separate names for the same events. */
export const channelEvents = {
  member_joined_channel: 'member_joined_channel',
  member_left_channel: 'member_left_channel',
  channel_shared: 'channel_shared',
  channel_left: 'channel_left',
  group_left: 'channel_left',
  channel_archive: 'channel_archive',
  group_archive: 'channel_archive',
  channel_unarchive: 'channel_unarchive',
  group_unarchive: 'channel_unarchive',
  channel_deleted: 'channel_deleted',
  group_deleted: 'channel_deleted',
} as const;

export type CommandRoute = {
  readonly command: '/campaign' | '/inbox' | '/proofdesk' | '/review';
  /** The first word; '' for the command alone. */
  readonly word: string;
  /** The arguments after the word, as help shows them, such as `<id> <positions>`. */
  readonly usage: string;
  readonly help: string;
} & Entry<Command>;

/** All actions that people can take in a feature; each entry names the right it needs. */
export interface Feature {
  readonly commands?: readonly CommandRoute[];
  /**
   * By action id. An overflow menu that several features fill is one action: the first word of an option's value selects
   * `<action id>.<word>`, and the rest is the click's value (`menuValue` in src/slack/blocks.ts).
   */
  readonly clicks?: Entries<Click>;
  readonly submissions?: Entries<Submission, SubmissionAnswer | undefined>;
  readonly closings?: Entries<Closing>;
  readonly typings?: Entries<Typing, PlainTextOption[] | { groups: OptionGroup[] }>;
  readonly shortcuts?: Entries<Shortcut>;
  readonly channelEvents?: Readonly<
    Partial<
      Record<(typeof channelEvents)[keyof typeof channelEvents], (event: ChannelEvent) => Promise<void>>
    >
  >;
  /** A person's name, kind or state changed. */
  readonly memberChanged?: (event: {
    workspace: WorkspaceId;
    member: MemberId;
    isDeactivated: boolean;
  }) => Promise<void>;
  /** What a reply in a card's thread may do, by first word; run by the job `thread-reply`. */
  readonly replies?: Entries<NoteReply>;
  readonly threadReply?: (event: ThreadReply) => Promise<void>;
  /** A person deleted a message of the bot. `blocks` is its content. */
  readonly messageDeleted?: (event: {
    workspace: WorkspaceId;
    channel: ChannelId;
    ts: string;
    blocks: readonly unknown[];
  }) => Promise<void>;
  /** Returns what is shown to somebody who opens the entity of a message. */
  readonly entityOpened?: Entry<Opening, EntityMetadata>;
  readonly homeOpened?: (actor: Actor) => Promise<void>;
}
