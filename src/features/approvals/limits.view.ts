import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { editableMoney, formatMoney, money } from '../../domain/money.ts';
import {
  type Budget,
  budgets,
  parseLimit,
  type SpendingLimits,
  type SpendingRole,
  spendingRoles,
} from '../../domain/spending.ts';
import { AccountId } from '../../domain/terms.ts';
import { context, input, modal, plainText, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { typed, type Values } from '../../slack/form-values.ts';

export const limitsForm = 'spending.limits';

/** State of the form, and of the settings below it. */
export const limitsState = codec('form', z.object({ account: AccountId }), 'Type `/proofdesk settings`.');

const each = ['each', 'day'] as const;
type Kind = (typeof each)[number];

const roleWords: Readonly<Record<SpendingRole, string>> = { manager: 'Managers', owner: 'Owners' };

const labels: Readonly<Record<Budget, Readonly<Record<Kind, string>>>> = {
  bonus: { each: 'one bonus', day: 'bonuses a day' },
  positions: { each: 'one restart or campaign', day: 'restarts and campaigns a day' },
};

const inputName = (role: SpendingRole, budget: Budget, kind: Kind) => `${role}.${budget}.${kind}`;

/** Returns the form for what each role may spend without approval. */
export function limitsModal(state: string, limits: SpendingLimits, zone: string): ModalView {
  return modal({
    callbackId: limitsForm,
    title: 'Spending limits',
    submit: 'Save',
    state,
    blocks: [
      section(
        'What a member may spend without asking. Beyond that, somebody else who is a manager or an owner has to approve.',
      ),
      ...spendingRoles.flatMap((role) =>
        budgets.flatMap((budget) =>
          each.map((kind) => {
            const amount = limits[role][budget][kind];
            return input(
              inputName(role, budget, kind),
              `${roleWords[role]}: ${labels[budget][kind]}`,
              {
                type: 'plain_text_input',
                placeholder: plainText('No limit'),
                ...(amount === undefined ? {} : { initial_value: editableMoney(money(amount)) }),
              },
              { isOptional: true },
            );
          }),
        ),
      ),
      context(
        `Leave a field empty for no limit. A day begins at midnight of the marketplace’s time zone (${zone}), and each member has their own. Spending that somebody else approved does not count. Fees are not included, because the marketplace does not report them.`,
      ),
    ],
  });
}

/** Returns the modal that replaces the form once it is saved. */
export function limitsSavedModal(limits: SpendingLimits): ModalView {
  const lines = spendingRoles.map((role) => {
    const set = budgets.flatMap((budget) =>
      each.flatMap((kind) => {
        const amount = limits[role][budget][kind];
        return amount === undefined ? [] : [`${labels[budget][kind]} up to ${formatMoney(money(amount))}`];
      }),
    );
    return `*${roleWords[role]}*: ${set.length === 0 ? 'no limits' : set.join(', ')}.`;
  });
  const text = [':white_check_mark: The spending limits are saved.', ...lines].join('\n');
  return modal({ callbackId: limitsForm, title: 'Spending limits', blocks: [section(text)] });
}

/** Returns the entered limits, or errors by input. */
export function limitsIn(
  values: Values,
): { readonly limits: SpendingLimits } | { readonly errors: Readonly<Record<string, string>> } {
  const errors: Record<string, string> = {};
  const limitOf = (role: SpendingRole, budget: Budget) =>
    Object.fromEntries(
      each.flatMap((kind) => {
        const name = inputName(role, budget, kind);
        const parsed = parseLimit(typed(values, name));
        if ('problem' in parsed) {
          errors[name] = parsed.problem;
          return [];
        }
        return parsed.amount === undefined ? [] : [[kind, parsed.amount]];
      }),
    );
  const ofRole = (role: SpendingRole) => ({
    bonus: limitOf(role, 'bonus'),
    positions: limitOf(role, 'positions'),
  });
  const limits = { manager: ofRole('manager'), owner: ofRole('owner') };
  return Object.keys(errors).length > 0 ? { errors } : { limits };
}

/** Returns limits for the audit. */
export function limitsText(limits: SpendingLimits): string {
  return spendingRoles
    .flatMap((role) =>
      budgets.flatMap((budget) =>
        each.flatMap((kind) => {
          const amount = limits[role][budget][kind];
          return amount === undefined
            ? []
            : [`${role} ${labels[budget][kind]}: ${formatMoney(money(amount))}`];
        }),
      ),
    )
    .join(', ');
}
