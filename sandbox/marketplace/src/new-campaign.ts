import { CampaignRefusal, Refusal, success } from './answers.ts';
import { keyErrors } from './assumptions.ts';
import type { Call, Endpoint } from './endpoint.ts';
import type { Form } from './form.ts';
import type { Zone } from './geography.ts';
import { isZone } from './geography.ts';
import type { World } from './model.ts';
import { freshId } from './model.ts';
import type { Money } from './money.ts';
import { formatMoney } from './money.ts';
import { addCampaign } from './new-world.ts';
import { readDecimal, readInteger } from './rules.ts';

/** Returns the lowest payment of a category in a zone; undefined for an unknown category. */
function minimumPayment(world: World, category: string, zone: Zone): Money | undefined {
  for (const parent of world.categories) {
    for (const { id, min_payment_per_task } of parent.categories) {
      if (id === category) return min_payment_per_task.find((entry) => entry.zone === zone)?.payment_per_task;
    }
  }
  return undefined;
}

/** Reads fields and collects the tokens of `errors`. Only POSITIONS and AUTO RATE are known; the others imitate them. */
function createFields(form: Form) {
  const errors: string[] = [];
  return {
    errors,
    text(name: string, token: string): string {
      const value = form.one(name);
      if (value.trim() === '') errors.push(token);
      return value;
    },
    whole(name: string, token: string, range: { min: number; max?: number; absent?: number }): number {
      const text = form.one(name);
      const value = text === '' ? range.absent : readInteger(text);
      if (value !== undefined && value >= range.min && value <= (range.max ?? Number.POSITIVE_INFINITY))
        return value;
      errors.push(token);
      return range.min;
    },
    choice<T extends string>(name: string, token: string, allowed: readonly T[], absent: T): T {
      const text = form.one(name);
      const found = allowed.find((value) => value === text);
      if (found === undefined && text !== '') errors.push(token);
      return found ?? absent;
    },
  };
}

/**
 * Section 1. The form has no zone field: a group_id equal to a zone's name targets that zone, any other the whole
 * world (`int`).
 */
const newCampaign: Endpoint = {
  method: 'POST',
  path: '/campaign_hg/new_campaign',
  handle(call: Call) {
    const { form, world, account, settings } = call;
    if (account.role !== 'employer') throw new Refusal(keyErrors.disabled, {}, true);
    const fields = createFields(form);
    const { errors } = fields;
    const group_id = form.one('group_id');
    const zone = isZone(group_id) ? group_id : 'int';
    const title = fields.text('title', 'TITLE');
    const category = form.one('category');
    const minimum = minimumPayment(world, category, zone);
    if (!minimum) errors.push('CATEGORY');
    const minutes_to_finish = fields.whole('minutes_to_finish', 'MINUTES TO FINISH', { min: 1, absent: 10 });
    const available_positions = fields.whole('available_positions', 'POSITIONS', { min: 1 });
    const max_positions_per_worker = fields.whole('max_positions_per_worker', 'MAX POSITIONS PER WORKER', {
      min: 1,
      absent: 1,
    });
    const payment = readDecimal(form.one('payment_per_task'));
    if (!payment || (minimum && payment.lt(minimum))) errors.push('PAYMENT PER TASK');
    const description_type = fields.choice(
      'description_type',
      'DESCRIPTION TYPE',
      ['SAME', 'UNIQUE'],
      'SAME',
    );
    const required_work = fields.text('required_work', 'REQUIRED WORK');
    const required_proof = [...form.all('required_proof'), ...form.all('required_proof[]')].filter(
      (proof) => proof.trim() !== '',
    );
    if (required_proof.length < 1 || required_proof.length > 3) errors.push('REQUIRED PROOF');
    const ttr = fields.whole('ttr', 'TTR', { min: 1, max: 30, absent: 7 });
    const auto_rate = fields.choice('auto_rate', 'AUTO RATE', ['NO', 'V', 'V+R'], 'NO');
    const file_proof = fields.whole('file_proof', 'FILE PROOF', { min: 0, max: 2, absent: 0 });
    const qt_required = fields.choice('qt_required', 'QT REQUIRED', ['0', '1'], '1') === '1';
    const csv = form.file('csv');
    if (description_type === 'UNIQUE' && !csv) errors.push('CSV');
    if (form.truncated) errors.push('FILE');
    const worked = settings.newCampaignShape === 'worked';
    if (errors.length > 0 || !payment) {
      throw new CampaignRefusal({
        ...(worked ? { campaign_id: '' } : {}),
        errors,
        ...(minimum ? { min_payment_per_task: minimum.toNumber() } : {}),
      });
    }
    const file = form.file('file');
    const campaign = addCampaign(world, account, {
      campaign_id: freshId(world.random, world.campaigns),
      campaign_status: 'PENDING_REVIEW',
      moves_by_itself: true,
      status_since: call.now,
      created: call.now,
      title,
      required_work,
      required_proof,
      available_positions,
      zone,
      payment_per_task: payment,
      speed: 500,
      qt_required,
      group_id,
      category,
      minutes_to_finish,
      max_positions_per_worker,
      description_type,
      ttr,
      auto_rate,
      file_proof: file_proof === 0 ? 0 : file_proof === 1 ? 1 : 2,
      attachments: { ...(file ? { file } : {}), ...(csv && description_type === 'UNIQUE' ? { csv } : {}) },
    });
    const shape = worked
      ? { cost: formatMoney(payment.times(available_positions)) }
      : { speed_previous: '0', speed_new: String(campaign.speed) };
    return success({ campaign_id: campaign.campaign_id, ...shape });
  },
};

export const newCampaignEndpoints: readonly Endpoint[] = [newCampaign];
