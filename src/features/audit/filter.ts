import { z } from 'zod';
import { type AuditEntry, auditedActs } from '../../domain/audit.ts';
import { daysSpan } from '../../domain/days.ts';
import { type Money, money, readMoney, tryMoney } from '../../domain/money.ts';
import { AccountId, MemberId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';
import { Origin } from '../../slack/feature.ts';
import { chosen, pickedDay, pickedMember, typed, type Values } from '../../slack/form-values.ts';

const advice = 'Open the list again: `/proofdesk audit`.';
const day = z.iso.date().optional();

const filter = z.object({
  who: MemberId.optional(),
  what: z.enum(auditedActs).optional(),
  campaign: z.string().optional(),
  task: z.string().optional(),
  /** Days (YYYY-MM-DD) in the marketplace's zone, inclusive. */
  from: day,
  to: day,
  /** The minimum amount, as decimal text. */
  money: z.string().optional(),
});
/** Filter of audit entries. */
export type AuditFilter = z.infer<typeof filter>;

/** Value of a list's buttons. `before`: the page begins after this entry; absent: with the newest. */
export const listValue = codec(
  'button',
  z.object({ account: AccountId, filter, before: z.string().optional() }),
  advice,
);

/** State of the filter form: the account, and where the list is. */
export const filterState = codec('form', z.object({ account: AccountId, origin: Origin }), advice);

/** The inputs of the filter form. */
export const inputs = {
  who: 'who',
  what: 'what',
  campaign: 'campaign',
  task: 'task',
  from: 'from',
  to: 'to',
  money: 'money',
} as const;

export const daysReversed = 'The last day is before the first. Choose a later one.';

/** Returns the filter chosen in the form, or errors by input. */
export function filterIn(
  values: Values,
): { readonly filter: AuditFilter } | { readonly errors: Record<string, string> } {
  const amount = typed(values, inputs.money);
  const [from, to] = [pickedDay(values, inputs.from), pickedDay(values, inputs.to)];
  const least = amount === '' ? undefined : readMoney(amount);
  const errors = {
    ...(least && 'problem' in least ? { [inputs.money]: least.problem } : {}),
    ...(from && to && to < from ? { [inputs.to]: daysReversed } : {}),
  };
  if (Object.keys(errors).length > 0) return { errors };
  const [campaign, task] = [chosen(values, inputs.campaign), typed(values, inputs.task)];
  const what = auditedActs.find((act) => act === chosen(values, inputs.what));
  const who = pickedMember(values, inputs.who);
  return {
    filter: {
      ...(who ? { who: MemberId.parse(who) } : {}),
      ...(what ? { what } : {}),
      ...(campaign ? { campaign } : {}),
      ...(task === '' ? {} : { task }),
      ...(from ? { from } : {}),
      ...(to ? { to } : {}),
      ...(least && 'amount' in least ? { money: least.amount.toFixed() } : {}),
    },
  };
}

/** Returns a filter's predicate on entries. @param zone IANA zone of its days */
export function createMatch(wanted: AuditFilter, zone: string): (entry: AuditEntry) => boolean {
  const span = daysSpan(wanted.from, wanted.to, zone);
  const [first, last] = [span.from?.getTime() ?? 0, (span.to?.getTime() ?? Number.POSITIVE_INFINITY) + 999];
  const least = wanted.money === undefined ? undefined : money(wanted.money);
  return ({ at, by, member, what, campaign, task, money: amount }) =>
    (wanted.who === undefined || by === wanted.who || member === wanted.who) &&
    (wanted.what === undefined || what === wanted.what) &&
    (wanted.campaign === undefined || campaign === wanted.campaign) &&
    (wanted.task === undefined || task === wanted.task) &&
    at >= first &&
    at <= last &&
    (least === undefined || reaches(amount, least));
}

function reaches(amount: string | undefined, least: Money): boolean {
  const found = amount === undefined ? undefined : tryMoney(amount);
  return found?.gte(least) === true;
}

/** Returns when the first day of a filter begins (ms); earlier entries are not read. @param zone IANA zone */
export function firstMoment({ from }: AuditFilter, zone: string): number {
  return daysSpan(from, undefined, zone).from?.getTime() ?? 0;
}
