import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { maxReasonName, type Placeholder, type SavedReason } from '../../domain/reason.ts';
import { AccountId, type Verdict, verdicts } from '../../domain/terms.ts';
import {
  actions,
  button,
  confirmation,
  context,
  input,
  modal,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { inline, user } from '../../slack/mrkdwn.ts';
import { number } from '../../ui/words.ts';

const advice = 'Open your Home tab and choose Saved reasons.';
export const listState = codec('form', z.object({ account: AccountId }), advice);
const FormState = z.object({
  account: AccountId,
  id: z.string(),
  isNew: z.boolean(),
});
type FormState = z.infer<typeof FormState>;
export const formState = codec('form', FormState, advice);

const verdictWords: Readonly<Record<Verdict, string>> = {
  REVISE: 'REVISE',
  NOK: 'NOK',
  OK: 'Comment with an OK',
};

const placeholderWords: Readonly<Record<Placeholder, string>> = {
  worker: 'the worker’s name',
  campaign: 'the title of the campaign',
  asked: 'what was asked for',
};

/** Content of the reason list. */
export interface ReasonsContent {
  readonly account: AccountId;
  /** Most used first, with the campaign title if limited to one. */
  readonly reasons: readonly (SavedReason & { readonly campaignTitle?: string })[];
  readonly mayChange: boolean;
  /** Outcome of the last action, in mrkdwn. */
  readonly outcome?: string | undefined;
}

/** Returns the list of an account's saved reasons. */
export function reasonsModal(content: ReasonsContent): ModalView {
  const { account, reasons, mayChange, outcome } = content;
  return modal({
    callbackId: 'reasons.list',
    title: 'Saved reasons',
    state: listState.encode({ account }),
    blocks: [
      ...(outcome === undefined ? [] : [section(outcome)]),
      section(
        'Reviewers choose these texts instead of typing them. The most used come first, here and in every form.',
      ),
      ...(mayChange
        ? [actions('reasons.add', [button('Add a reason', 'reasons.add', 'none', { style: 'primary' })])]
        : [context('Managers and owners of this account can add, change and remove reasons.')]),
      { type: 'divider' },
      ...(reasons.length === 0 ? [section('There are no saved reasons.')] : []),
      ...reasons.map((reason) => row(reason, mayChange)),
    ],
  });
}

function row(
  { id, verdict, name, text, uses, by, campaignTitle }: ReasonsContent['reasons'][number],
  mayChange: boolean,
): KnownBlock {
  const where = campaignTitle === undefined ? 'all campaigns' : inline(campaignTitle, 100);
  const used = uses === 0 ? 'not used yet' : uses === 1 ? 'used once' : `used ${number(uses)} times`;
  const who = by === undefined ? 'starting set' : `by ${user(by)}`;
  const line = `*${inline(name, 150)}*\n${verdictWords[verdict]} · ${where} · ${used} · ${who}\n${inline(text, 200)}`;
  return section(line, {
    block_id: `reasons.row/${id}`,
    ...(mayChange ? { accessory: button('Change', 'reasons.change', id, { label: `Change ${name}` }) } : {}),
  });
}

/** Content of the form for a reason. */
export interface ReasonFormContent {
  readonly state: FormState;
  /** Absent: a new one. */
  readonly reason?: Pick<SavedReason, 'verdict' | 'name' | 'text' | 'campaign'>;
  readonly campaignTitle?: string;
}

/** Returns the form that adds or changes a saved reason. */
export function reasonFormModal({ state, reason, campaignTitle }: ReasonFormContent): ModalView {
  const options = [...verdicts].reverse().map((verdict) => option(verdictWords[verdict], verdict));
  const verdict = reason?.verdict ?? 'REVISE';
  return modal({
    callbackId: 'reasons.form',
    title: state.isNew ? 'Add a reason' : 'Change a reason',
    submit: 'Save',
    state: formState.encode(state),
    blocks: [
      input(
        'name',
        'Name',
        {
          type: 'plain_text_input',
          max_length: maxReasonName,
          focus_on_load: true,
          ...(reason === undefined ? {} : { initial_value: reason.name }),
        },
        { hint: 'Reviewers choose it by this, such as “The picture is blurry”. The worker does not see it.' },
      ),
      input('verdict', 'Offered for', {
        type: 'radio_buttons',
        options,
        initial_option: option(verdictWords[verdict], verdict),
      }),
      input(
        'text',
        'Text for the worker',
        {
          type: 'plain_text_input',
          multiline: true,
          max_length: maxText,
          ...(reason === undefined ? {} : { initial_value: reason.text }),
        },
        { hint: placeholdersHint },
      ),
      input(
        'campaign',
        'Only in this campaign',
        {
          type: 'external_select',
          placeholder: plainText('All campaigns'),
          min_query_length: 0,
          ...(reason?.campaign === undefined
            ? {}
            : { initial_option: option(campaignTitle ?? reason.campaign, reason.campaign) }),
        },
        {
          isOptional: true,
          hint: 'Leave it empty to offer the reason in all campaigns.',
          actionId: campaignOptions,
        },
      ),
      actions('reasons.form', [
        button('Back to the list', 'reasons.back', 'none'),
        ...(state.isNew ? [] : [removeButton()]),
      ]),
    ],
  });
}

/** Input limit; `text` is never truncated. */
const maxText = 3_000;

/** The campaign select shared by all forms; the campaigns feature provides its options. */
const campaignOptions = 'campaign.pick';

const placeholdersHint = `Filled in for each task: ${Object.entries(placeholderWords)
  .map(([name, words]) => `{${name}} is ${words}`)
  .join(', ')}.`;

function removeButton() {
  return button('Remove', 'reasons.remove', 'none', {
    style: 'danger',
    confirm: confirmation({
      title: 'Remove this reason?',
      text: 'Forms no longer offer it. What was sent with it stays as it is.',
      confirm: 'Remove',
      deny: 'Keep',
      isDanger: true,
    }),
  });
}

export const nameMissing = 'Enter a name.';
export const textMissing = 'Enter the text that the worker reads.';

/** Returns the error for unknown placeholders in a text. */
export function unknownPlaceholder(names: readonly string[]): string {
  const known = Object.keys(placeholderWords).map((name) => `{${name}}`);
  return `Nothing can be filled in for ${names.join(', ')}. Use ${known.slice(0, -1).join(', ')} or ${known.at(-1)}.`;
}

/** Returns the error for a text that may be too long once its placeholders are filled in. */
export function tooLongFilled(length: number, most: number): string {
  return `With the longest values filled in, the text has ${number(length)} characters. It can have ${number(most)} at most. Shorten it.`;
}

export const changedMeanwhile =
  'Somebody has changed or removed this reason meanwhile, so nothing was saved. Copy your text, go back to the list and open it again.';

/** Returns the error for exceeding the maximum number of reasons. */
export function tooMany(most: number): string {
  return `This account has ${most} saved reasons, which is the most there can be. Remove one first.`;
}

/** Returns the outcome of a change to a reason, in mrkdwn. */
export function outcomeText(what: 'added' | 'changed' | 'removed', name: string): string {
  return `:white_check_mark: “${inline(name, 150)}” was ${what}.`;
}

export const reasonGone =
  ':warning: Somebody has changed or removed that reason meanwhile. Nothing was changed.';
