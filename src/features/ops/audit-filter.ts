import { type AuditEntry, auditedActs } from '../../domain/audit.ts';
import { money, readMoney, tryMoney } from '../../domain/money.ts';
import { daysSpan } from '../../domain/task.ts';
import { MemberId } from '../../domain/terms.ts';
import { chosen, pickedDay, pickedMember, typed, type Values } from '../../slack/form-values.ts';
import { type AuditFilter, maxTyped } from './audit.view.ts';

/** Returns the filter chosen in the form, or errors by input. */
export function filterIn(
  values: Values,
): { readonly filter: AuditFilter } | { readonly errors: Record<string, string> } {
  const amount = typed(values, 'money');
  const [from, to] = [pickedDay(values, 'from'), pickedDay(values, 'to')];
  const least = amount === '' ? undefined : readMoney(amount);
  const errors = {
    ...(least && 'problem' in least ? { money: least.problem } : {}),
    ...(from && to && to < from ? { to: 'The last day is before the first. Choose a later one.' } : {}),
  };
  if (Object.keys(errors).length > 0) return { errors };
  const [campaign, task] = [chosen(values, 'campaign'), typed(values, 'task').slice(0, maxTyped)];
  const what = auditedActs.find((act) => act === chosen(values, 'what'));
  const who = pickedMember(values, 'who');
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

/** Returns what a filter searches for: which entries, from which moment on (ms). @param zone IANA zone of its days */
export function searchFor(wanted: AuditFilter, zone: string) {
  const span = daysSpan(wanted.from, wanted.to, zone);
  const [first, last] = [span.from?.getTime() ?? 0, (span.to?.getTime() ?? Number.POSITIVE_INFINITY) + 999];
  const least = wanted.money === undefined ? undefined : money(wanted.money);
  const matches = ({ at, by, member, what, campaign, task, money: amount = '' }: AuditEntry) =>
    (wanted.who === undefined || by === wanted.who || member === wanted.who) &&
    (wanted.what === undefined || what === wanted.what) &&
    (wanted.campaign === undefined || campaign === wanted.campaign) &&
    (wanted.task === undefined || task === wanted.task) &&
    at >= first &&
    at <= last &&
    (least === undefined || tryMoney(amount)?.gte(least) === true);
  return { matches, first };
}

/**
 * Returns whether an entry says how a decision ended, which is told with the decision. A decision from before the days of a
 * filter is not in the list: then its end is.
 */
export function isToldWithDecision(
  { what, decision }: Pick<AuditEntry, 'what' | 'decision'>,
  { what: wanted, from }: AuditFilter,
): boolean {
  const isEnd = decision !== undefined && (what === 'applied' || what === 'refused' || what === 'overtaken');
  return isEnd && what !== wanted && from === undefined;
}
