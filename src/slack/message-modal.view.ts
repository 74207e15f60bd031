import type { KnownBlock, ModalView, PlainTextElement } from '@slack/types';
import { limits, type Message, modal, section } from './blocks.ts';
import { plain } from './mrkdwn.ts';

export const messageModalId = 'message';

/** Figures that Slack draws only in messages; their message says the same in words. */
const charts: readonly string[] = ['data_visualization'];
const onlyInMessages: readonly string[] = ['table', 'data_table', ...charts];

const loadingText = ':hourglass_flowing_sand: Loading…';

function withoutCharts(blocks: Message['blocks']): KnownBlock[] {
  return blocks.filter(({ type }) => !onlyInMessages.includes(type));
}

/** Returns versions of a message without charts, then without tables either, as far as it has any: not every workspace has them. */
export function plainerThan({ blocks }: Pick<Message, 'blocks'>): KnownBlock[][] {
  const withTables = blocks.filter(({ type }) => !charts.includes(type));
  const versions = [withTables, withoutCharts(blocks)];
  return versions.filter((version, at) => version.length < (versions[at - 1] ?? blocks).length);
}

/** Returns a message as a modal, for clicks where there is no channel to answer in. */
export function messageModal(title: string, { blocks }: Pick<Message, 'blocks'>): ModalView {
  const shown = withoutCharts(blocks).slice(0, limits.viewBlocks);
  return modal({ callbackId: messageModalId, title, blocks: shown });
}

export function loadingMessageModal(title: string): ModalView {
  return messageModal(title, { blocks: [section(loadingText)] });
}

/** A modal as Slack reports it when it is submitted, or when something in it is clicked. */
export interface ClickedModal {
  readonly callback_id: string;
  readonly private_metadata: string;
  readonly title: PlainTextElement;
  readonly submit: PlainTextElement | null;
  readonly close: PlainTextElement | null;
  readonly notify_on_close?: boolean;
  readonly blocks: readonly { readonly type: string; readonly block_id?: string }[];
}

/** Returns the text about an internal error. @param id by which the log is searched */
export function internalError(id: string): string {
  return `Something went wrong. Before you try again, check whether your change is shown. If it happens again, give Proofdesk’s operator this id: \`${id}\`.`;
}

/** Text for a click or command whose trigger expired before its modal could be opened. */
export const triggerExpired =
  'This took too long to open: Slack allows 3 seconds. Try again; if it happens again, wait a minute first.';

/** Text for a button, menu entry or form of a feature that was removed. */
export const removed =
  'Nothing was done: Proofdesk no longer has this. To see what it has, type `/proofdesk help`.';

/** Returns the reason for refusing a modal, for its first input; undefined if it has none. */
export function inputErrors({ blocks }: ClickedModal, { text }: Message): Record<string, string> | undefined {
  const input = blocks.find(({ type }) => type === 'input');
  return input && { [input.block_id ?? '']: text };
}

/** Returns the errors beside inputs as Slack shows them: without formatting. */
export function plainErrors(errors: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, plain(text)]));
}

/** Prefix of block ids that distinguishes an earlier refusal from the modal's own blocks. */
const refusal = 'refused.';

/** Returns a refused modal that has no input to show the reason at: unchanged, with the reason at the top. */
export function viewWithError(view: ClickedModal, { blocks }: Message): ModalView {
  const { callback_id, private_metadata, title, submit, close, notify_on_close } = view;
  const own = view.blocks.filter(({ block_id }) => !block_id?.startsWith(refusal)) as KnownBlock[];
  const said = blocks.map((block, index) => ({ ...block, block_id: `${refusal}${index}` }));
  return {
    type: 'modal',
    callback_id,
    private_metadata,
    title,
    ...(submit ? { submit } : {}),
    ...(close ? { close } : {}),
    ...(notify_on_close ? { notify_on_close } : {}),
    blocks: [...said, ...own].slice(0, limits.viewBlocks),
  };
}
