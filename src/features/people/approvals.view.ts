import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { type ApprovalEnd, type ApprovalRequest, subjectOf } from '../../domain/approval.ts';
import { editableMoney, formatMoney, money } from '../../domain/money.ts';
import { type Budget, budgets, parseLimit, type SpendingLimits } from '../../domain/spending.ts';
import { AccountId } from '../../domain/terms.ts';
import {
  actions,
  context,
  input,
  type Message,
  modal,
  notice,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { chosenMany, codec, typed, type Values } from '../../slack/form-values.ts';
import { date, user } from '../../slack/mrkdwn.ts';
import { capital, wereAsked } from '../../ui/words.ts';
import { actText, approvalButtons, requestText } from './spending.view.ts';

/** Returns the message to an asked manager, in the request's current state; it is updated throughout. */
export function requestMessage(account: AccountId, request: ApprovalRequest): Message {
  const text = requestText(request);
  const { stage } = request;
  if (stage.state !== 'waiting') {
    const outcome =
      stage.state === 'ended'
        ? endText(stage.end)
        : `:hourglass_flowing_sand: ${user(stage.by)} approved. In progress.`;
    return notice(`${text}\n${outcome}`);
  }
  return notice(
    text,
    actions('approval.request', approvalButtons(account, subjectOf(request.act), request)),
    context(`It goes ahead once someone approves. Expires ${date(request.until)}.`),
  );
}

/** Returns the message to the requester about the outcome. */
export function askerMessage({ act, stage }: ApprovalRequest): Message {
  const end = stage.state === 'ended' ? `\n${endText(stage.end)}` : '';
  return notice(`You asked to ${actText(act)}.${end}`);
}

function endText({ kind, by, sentence = '' }: ApprovalEnd): string {
  const who = by === undefined ? 'Somebody' : user(by);
  switch (kind) {
    case 'done':
    case 'unknown':
      return `${kind === 'done' ? ':white_check_mark:' : ':warning:'} ${who} approved. ${sentence}`;
    case 'refused':
      return `:warning: ${who} approved, but the marketplace rejected it. ${sentence}`;
    case 'declined':
      return `:no_entry_sign: ${who} declined. Nothing was done.`;
    case 'expired':
      return by === undefined
        ? ':hourglass: Nobody answered in time, so nothing was done.'
        : `:hourglass: ${who} approved, but there was no time left to do it. Nothing was done.`;
    case 'canceled':
      return `:no_entry_sign: ${sentence} The request is closed.`;
  }
}

/** Returns the text for a manager whose own request it is. */
export function ownRequestText({ asked = [] }: ApprovalRequest): string {
  return `You can’t approve your own request. ${wereAsked(asked)}.`;
}

export const nobodyApproves = 'Nobody else in this account can approve this, so nothing was done.';
export const answeredMeanwhile = 'Someone has already answered it.';
export const answeredBefore = 'This request was already answered, or has expired.';
export const approvedText = ':hourglass_flowing_sand: Approved. In progress.';
export const declinedText = ':no_entry_sign: Declined. Nothing was done.';
export const askerHasNoRole = 'The person who asked no longer has a role for this, so nothing was done.';
export const approverMayNot = 'The person who approved it is no longer a manager, so nothing was done.';
export const paymentChanged = 'The payment has changed, so nothing was done. Ask again with the new total.';

/** State of the form, and of the settings below it. */
export const limitsState = codec('form', z.object({ account: AccountId }), 'Type `/proofdesk settings`.');

const labels: Readonly<Record<Budget, string>> = {
  bonus: 'bonuses a day',
  positions: 'restarts and campaigns a day',
};

const ownersInput = 'owners';
const sameForOwners = option('Same limits for owners', 'same');

/** Returns the form for what members may spend without approval. */
export function limitsModal(state: string, limits: SpendingLimits, zone: string): ModalView {
  return modal({
    callbackId: 'spending.limits',
    title: 'Spending limits',
    submit: 'Save',
    state,
    blocks: [
      section(
        'What each manager can spend a day without asking. Over the limit, another manager or owner has to approve.',
      ),
      ...budgets.map((budget) => {
        const amount = limits[budget];
        return input(
          budget,
          capital(labels[budget]),
          {
            type: 'plain_text_input',
            placeholder: plainText('No limit'),
            ...(amount === undefined ? {} : { initial_value: editableMoney(money(amount)) }),
          },
          { isOptional: true },
        );
      }),
      input(
        ownersInput,
        'Owners',
        {
          type: 'checkboxes',
          options: [sameForOwners],
          ...(limits.areForOwners ? { initial_options: [sameForOwners] } : {}),
        },
        { isOptional: true },
      ),
      context(
        `Leave empty for no limit. A day starts at midnight in the marketplace’s time zone (${zone}). Spending that someone else approved doesn’t count. Fees aren’t included, because the marketplace doesn’t report them.`,
      ),
    ],
  });
}

/** Returns the limits that are set, in words. */
export function limitsText(limits: SpendingLimits): string {
  const set = budgets.flatMap((budget) => {
    const amount = limits[budget];
    return amount === undefined ? [] : [`${labels[budget]} up to ${formatMoney(money(amount))}`];
  });
  return [...set, ...(limits.areForOwners ? ['the same for owners'] : [])].join(', ');
}

/** Returns the modal that replaces the form once it is saved. */
export function limitsSavedModal(limits: SpendingLimits): ModalView {
  const text = `:white_check_mark: Saved. Spending limits: ${limitsText(limits) || 'none'}.`;
  return modal({ callbackId: 'spending.limits', title: 'Spending limits', blocks: [section(text)] });
}

/** Returns the entered limits, or errors by input. */
export function limitsIn(
  values: Values,
): { readonly limits: SpendingLimits } | { readonly errors: Readonly<Record<string, string>> } {
  const errors: Record<string, string> = {};
  const limits: Partial<Record<Budget, string>> = {};
  for (const budget of budgets) {
    const parsed = parseLimit(typed(values, budget));
    if ('problem' in parsed) errors[budget] = parsed.problem;
    else if (parsed.amount !== undefined) limits[budget] = parsed.amount;
  }
  if (Object.keys(errors).length > 0) return { errors };
  return { limits: { ...limits, areForOwners: chosenMany(values, ownersInput).includes('same') } };
}
