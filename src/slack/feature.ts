import type { ModalView, OptionGroup, PlainTextOption } from '@slack/types';
import type { ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import type { Message } from './blocks.ts';

/** Somebody who did something; `answer` answers them privately, wherever they are. */
export interface Actor {
  readonly workspace: WorkspaceId;
  readonly member: MemberId;
  readonly answer: (message: Message) => Promise<void>;
}

/** A slash command, without its first word. */
export interface Command extends Actor {
  readonly channel: ChannelId;
  /** The text behind the first word. */
  readonly text: string;
  /** For one modal, within 3 seconds. */
  readonly triggerId: string;
}

/** A click on a button or a choice in a select, in a message or a modal. */
export interface Click extends Actor {
  /** Identifies the click, also when it is delivered twice. */
  readonly id: string;
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
  /** Changes the ephemeral message that was clicked in; does nothing elsewhere. */
  readonly replace: (message: Message) => Promise<void>;
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
export interface Submission extends Actor, OpenView {}

/**
 * The immediate answer to a submission: errors beside their inputs, another view in its place, or undefined, which closes
 * this modal. `afterwards` runs after Slack has its answer.
 */
export interface SubmissionAnswer {
  readonly errors?: Readonly<Record<string, string>>;
  readonly update?: ModalView;
  readonly afterwards?: () => Promise<void>;
}

/** Somebody types into a select that loads its options from the bot. */
export interface Typing extends Actor {
  readonly text: string;
  readonly view?: OpenView;
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
  readonly selected_channel?: string | null;
  readonly selected_conversation?: string | null;
  readonly selected_date?: string | null;
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

/** Returns the values chosen in a multi-select or checkboxes. */
export function chosenMany(values: Values, name: string): string[] {
  return (stateOf(values, name)?.selected_options ?? []).flatMap(({ value }) => (value ? [value] : []));
}

/** Returns the files attached in a file input. */
export function attached(values: Values, name: string): readonly AttachedFile[] {
  return stateOf(values, name)?.files ?? [];
}

function stateOf(values: Values, name: string): ElementState | undefined {
  return Object.values(values[name] ?? {})[0];
}

/** One row of the table of commands. */
export interface CommandRoute {
  readonly command: '/campaign' | '/inbox' | '/proofdesk';
  /** The first word; '' is the command alone. */
  readonly word: string;
  /** What may follow the word, as help shows it, such as `<id> <positions>`. */
  readonly usage: string;
  readonly help: string;
  readonly run: (command: Command) => Promise<void>;
}

/** Everything that people can do with a feature. */
export interface Feature {
  readonly commands?: readonly CommandRoute[];
  /**
   * By action id. An overflow menu that several features fill is one action: the first word of an option's value picks
   * `<action id>.<word>`, and the rest is the click's value (`menuValue` in src/slack/blocks.ts).
   */
  readonly clicks?: Readonly<Record<string, (click: Click) => Promise<void>>>;
  /** By callback id. */
  readonly submissions?: Readonly<
    Record<string, (submission: Submission) => Promise<SubmissionAnswer | undefined>>
  >;
  /** By action id. */
  readonly typings?: Readonly<
    Record<string, (typing: Typing) => Promise<PlainTextOption[] | { groups: OptionGroup[] }>>
  >;
  readonly shortcuts?: Readonly<Record<string, (shortcut: Actor & { triggerId: string }) => Promise<void>>>;
  readonly channelEvents?: Readonly<
    Partial<
      Record<
        | 'member_joined_channel'
        | 'channel_left'
        | 'channel_archive'
        | 'channel_unarchive'
        | 'channel_deleted',
        (event: ChannelEvent) => Promise<void>
      >
    >
  >;
  readonly messageDeleted?: (event: DeletedMessage) => Promise<void>;
  readonly homeOpened?: (actor: Actor) => Promise<void>;
  /** A member was deactivated; may run more than once. */
  readonly memberDeactivated?: (workspace: WorkspaceId, member: MemberId) => Promise<void>;
}
