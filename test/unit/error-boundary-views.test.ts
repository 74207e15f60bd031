import type { KnownBlock } from '@slack/types';
import { expect, test } from 'vitest';
import { actions, button, input, modal, section } from '../../src/slack/blocks.ts';
import { closedFormMessage } from '../../src/slack/closed-form.view.ts';
import { hasInputs, inputErrors, viewWithError } from '../../src/slack/error-boundary.view.ts';
import { notice } from '../../src/slack/notice.ts';
import { expectGoodMessage, expectGoodView } from './campaign-samples.ts';

/** A modal as Slack reports it: every block has an id. */
function reported(blocks: readonly KnownBlock[]) {
  const {
    title,
    submit,
    close,
    callback_id = '',
    private_metadata = '',
  } = modal({
    callbackId: 'a.form',
    title: 'A form',
    submit: 'Create',
    state: 'remembered',
    blocks,
  });
  const named = blocks.map((block, index) => ({ ...block, block_id: block.block_id ?? `b${index}` }));
  return {
    title,
    submit: submit ?? null,
    close: close ?? null,
    callback_id,
    private_metadata,
    blocks: named,
  };
}

test('a modal without inputs stays as it was, with the latest reason on top', () => {
  const view = reported([
    section('Everything once more'),
    actions('back', [button('Back', 'go.back', 'back')]),
  ]);
  const connect = {
    text: 'Connect first.',
    blocks: [section('Connect first.'), actions('connect', [button('Connect', 'connect', 'x')])],
  };
  const first = viewWithError(view, connect);
  expectGoodView(first);
  expect(first).toMatchObject({ callback_id: 'a.form', private_metadata: 'remembered', submit: view.submit });
  expect(first.blocks).toHaveLength(4);
  const second = viewWithError({ ...view, blocks: first.blocks as typeof view.blocks }, notice('Still not.'));
  expectGoodView(second);
  expect(second.blocks.map((block) => JSON.stringify(block)).join()).toMatch(
    /Still not\..*Everything once more.*go\.back/,
  );
  expect(JSON.stringify(second)).not.toContain('Connect first.');
  expect(hasInputs(view)).toBe(false);
});

test('a full modal without inputs stays within what Slack takes', () => {
  const view = reported(Array.from({ length: 100 }, (_, index) => section(`Line ${index}`)));
  expectGoodView(viewWithError(view, notice('Not now.')));
});

test('a modal with inputs says it at the first of them', () => {
  const view = reported([section('Above'), input('name', 'Name', { type: 'plain_text_input' })]);
  expect(hasInputs(view)).toBe(true);
  expect(inputErrors(view, notice('*Not* now. Type `/proofdesk settings`.'))).toEqual({
    name: 'Not now. Type /proofdesk settings.',
  });
});

test('what is said of a closed form keeps to the limits, however much there is to say', () => {
  const sentences = Array.from({ length: 40 }, () => 'Wrong. '.repeat(600));
  expectGoodMessage(closedFormMessage(sentences, { actionId: 'form.open', value: 'd' }));
  expect(closedFormMessage(['It is done.']).blocks).toHaveLength(1);
});
