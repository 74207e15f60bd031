import { Refusal, refuseInput, success } from './answers.ts';
import { fileProofStatus } from './assumptions.ts';
import { formatDatetime } from './datetime.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { ownCampaign } from './endpoint.ts';
import { countryName } from './geography.ts';
import type { Campaign, Task } from './model.ts';
import { moveTask, taskAsOf } from './model.ts';
import { formatMoney, money } from './money.ts';
import type { RatingRequest } from './rules.ts';
import { errorTexts, isVerdict, ratingErrors } from './rules.ts';

/** Applies a valid rating: the pay, the bonus, the favorite mark. */
function applyRating(call: Call, campaign: Campaign, task: Task, request: RatingRequest): void {
  if (!isVerdict(request.rating)) return;
  const bonus = request.rating === 'OK' && request.bonus !== '' ? money(request.bonus) : undefined;
  if (bonus) call.settings.balance = formatMoney(money(call.settings.balance).minus(bonus));
  if (request.favorite === 'add') call.account.favorites.add(task.worker_id);
  if (request.favorite === 'remove') call.account.favorites.delete(task.worker_id);
  moveTask(call.world, campaign, task, {
    by: 'api',
    rating: request.rating,
    comment: request.comment,
    bonus,
    at: call.now,
  });
}

/** Errors that do not depend on the rating; they take precedence over a wrong rating value. */
const campaignOrTaskErrors: readonly string[] = [
  'CAMPAIGN IS PAUSED_ADMIN',
  'CAMPAIGN IS PENDING_REVIEW',
  errorTexts.notInCampaign,
  errorTexts.onlyNotRated,
];

/** Section 10. */
const rateTask: Endpoint = {
  method: 'PUT',
  path: '/campaign_hg/rate_task/:id',
  handle(call) {
    const campaign = ownCampaign(call);
    const { form, settings } = call;
    const request: RatingRequest = {
      id_task: form.one('id_task'),
      rating: form.one('rating'),
      comment: form.one('comment'),
      bonus: form.one('bonus'),
      favorite: form.one('favorite'),
    };
    const context = { campaign_id: call.id, task_id: request.id_task };
    const task = call.world.tasks.get(request.id_task);
    const errors = ratingErrors(campaign, task, request, {
      balance: money(settings.balance),
      commentMissing: 'COMMENT TO WORKER MISSING',
    });
    const allowed =
      isVerdict(request.rating) && (request.rating !== 'REVISE' || settings.reviseThroughRateTask);
    const aboutTheTask = campaignOrTaskErrors.find((known) => errors[0] === known);
    if (!allowed && aboutTheTask === undefined) {
      throw new Refusal('TASK RATING VALUE CAN ONLY BE OK OR NOK', context);
    }
    if (errors[0] !== undefined) throw new Refusal(errors[0], context);
    if (task) applyRating(call, campaign, task, request);
    return success(context);
  },
};

/** Reads the entries of a rate_tasks form, matched by position. Throws a refusal if the arrays do not match. */
function readRatingRequests(call: Call): RatingRequest[] {
  const ids = call.form.all('id_task[]');
  const errors: string[] = [];
  if (ids.length === 0) errors.push('Id Task is missing');
  const column = (name: string, label: string, mandatory: boolean): readonly string[] => {
    const values = call.form.all(name);
    if (values.length !== ids.length && (mandatory || values.length > 0)) {
      errors.push(`${label} has ${values.length} entries for ${ids.length} tasks`);
    }
    return values;
  };
  const ratings = column('rating[]', 'Rating', true);
  const comments = column('comment[]', 'Comment', false);
  const bonuses = column('bonus[]', 'Bonus', false);
  const favorites = column('favorite[]', 'Favorite', false);
  if (!ratings.every(isVerdict)) errors.push('Rating has invalid value');
  if (!favorites.every((favorite) => ['', 'add', 'remove'].includes(favorite))) {
    errors.push('Favorite has invalid value');
  }
  refuseInput(errors, { campaign_id: call.id }, 'INPUT DATA');
  return ids.map((id_task, at) => ({
    id_task,
    rating: ratings[at] ?? '',
    comment: comments[at] ?? '',
    bonus: bonuses[at] ?? '',
    favorite: favorites[at] ?? '',
  }));
}

/** Section 3. */
const rateTasks: Endpoint = {
  method: 'PUT',
  path: '/campaign_hg/rate_tasks/:id',
  handle(call) {
    const campaign = ownCampaign(call);
    const requests = readRatingRequests(call);
    const uses = new Map<string, number>();
    for (const { id_task } of requests) uses.set(id_task, (uses.get(id_task) ?? 0) + 1);
    const tasks = requests.map((request) => {
      const task = call.world.tasks.get(request.id_task);
      const errors = ratingErrors(campaign, task, request, {
        balance: money(call.settings.balance),
        commentMissing: 'comment IS MANDATORY',
      });
      if ((uses.get(request.id_task) ?? 0) > 1) errors.unshift(errorTexts.notUnique);
      if (errors.length === 0 && task) applyRating(call, campaign, task, request);
      return {
        id_task: request.id_task,
        rating: request.rating,
        comment: request.comment,
        ...(request.bonus === '' ? {} : { bonus: request.bonus }),
        ...(errors.length === 0 ? { success: true } : { errors }),
      };
    });
    return success({ campaign_id: campaign.campaign_id, tasks });
  },
};

/** Returns a task, but only to the owner of its campaign: for get_task_info and download_file_proof. */
export function ownTask(call: Call, taskId: string, context: Record<string, unknown>): Task {
  const task = call.world.tasks.get(taskId);
  if (!task) throw new Refusal('NO SUCH TASK', context);
  if (call.world.campaigns.get(task.campaign_id)?.owner !== call.account.id) {
    throw new Refusal('NOT A CAMPAIGN OWNER', context);
  }
  return task;
}

/** Section 4. `status` of file_proof is the one set on the task, otherwise the assumed one. */
const getTaskInfo: Endpoint = {
  method: 'GET',
  path: '/campaign_hg/get_task_info/:id',
  handle(call) {
    const task = ownTask(call, call.id, { task_id: call.id });
    const shown = taskAsOf(task, call.asOf);
    if (shown === undefined) throw new Refusal('NO SUCH TASK', { task_id: call.id });
    return success({
      task_id: task.task_id,
      task_details: {
        bonus_worker_earned: formatMoney(task.bonus_worker_earned),
        campaign_id: task.campaign_id,
        csv_record_nr: String(task.csv_record_nr),
        country: countryName(task.country),
        employer_comment: shown.employer_comment,
        finished_datetime: formatDatetime(shown.finished),
        ip: task.ip,
        proof: [0, 1, 2].map((slot) => shown.proof[slot] ?? ''),
        file_proof: {
          status: task.file_proof_status || fileProofStatus(task.files.length),
          file_proof_details: task.files.map(({ content_type, filename, bytes }, at) => ({
            content_type,
            filename,
            index: at + 1,
            size: bytes.length,
          })),
        },
        task_rating: shown.task_rating,
        worker_earned: formatMoney(task.worker_earned),
        worker_id: task.worker_id,
      },
    });
  },
};

export const ratingEndpoints: readonly Endpoint[] = [rateTask, rateTasks, getTaskInfo];
