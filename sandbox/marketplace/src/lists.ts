import { Refusal, refuseInput, success } from './answers.ts';
import { formatDatetime } from './datetime.ts';
import type { Endpoint } from './endpoint.ts';
import { createChecks, within } from './endpoint.ts';
import { countryName } from './geography.ts';
import type { World } from './model.ts';
import { accountById } from './model.ts';
import { formatMoney } from './money.ts';
import { pagerOf, readInteger } from './rules.ts';
import { ratings } from './terms.ts';

/** "Employer / worker list entry". */
function entries(world: World, ids: Iterable<string>): Record<string, string>[] {
  return [...ids].flatMap((id) => {
    const account = accountById(world, id);
    return account
      ? [{ 'User ID': account.id, Username: account.username, Country: countryName(account.country) }]
      : [];
  });
}

/** Section 13. */
const excludedEmployers: Endpoint = {
  method: 'GET',
  path: '/worker/exclude_list',
  role: 'worker',
  handle: ({ world, account }) => success({ employers: entries(world, account.excluded_employers) }),
};

/** Section 14. */
const includedEmployers: Endpoint = {
  method: 'GET',
  path: '/worker/include_list',
  role: 'worker',
  handle: ({ world, account }) => success({ employers: entries(world, account.included_employers) }),
};

/** Adds to a list and answers how many were added. Throws a refusal if none were. */
function addAll(ids: readonly string[], add: (id: string) => boolean, what: 'employers' | 'workers') {
  const added = ids.filter(add).length;
  if (added === 0) throw new Refusal(`No ${what} were added to exclude list`);
  return success({ message: `${added} ${what} have been added` });
}

/** Section 18. */
const excludeEmployers: Endpoint = {
  method: 'POST',
  path: '/worker/exclude_list',
  role: 'worker',
  handle: ({ world, account, form }) =>
    addAll(
      form.all('employer[]'),
      (id) => {
        if (accountById(world, id)?.role !== 'employer' || account.excluded_employers.has(id)) return false;
        account.excluded_employers.add(id);
        account.included_employers.delete(id);
        return true;
      },
      'employers',
    ),
};

/** Section 19. */
const excludeWorkers: Endpoint = {
  method: 'POST',
  path: '/employer/exclude_list',
  role: 'employer',
  handle: ({ world, account, form }) =>
    addAll(
      form.all('worker[]'),
      (id) => {
        if (!world.workers.has(id) || account.excluded_workers.has(id)) return false;
        account.excluded_workers.add(id);
        return true;
      },
      'workers',
    ),
};

/** Section 17. */
const unexcludeWorkers: Endpoint = {
  method: 'DELETE',
  path: '/employer/exclude_list',
  role: 'employer',
  handle({ account, form }) {
    const ids = form.all('worker[]');
    const wanted = ids.length === 1 && ids[0] === 'all' ? [...account.excluded_workers] : ids;
    const removed = wanted.filter((id) => account.excluded_workers.delete(id)).length;
    if (removed === 0) throw new Refusal('workers were not found in exclude list');
    return success({ message: `${removed} workers have been removed` });
  },
};

/** Section 21. */
const submittedTasks: Endpoint = {
  method: 'GET',
  path: '/worker/b_tasks',
  role: 'worker',
  handle({ world, account, query }) {
    const checks = createChecks(query);
    const rating = checks.choice('rating', ratings, 'Rating');
    const from = checks.datetime('finished_from', 'Finished From');
    const to = checks.datetime('finished_to', 'Finished To');
    const whole = (name: string, label: string, absent: number): number => {
      const text = query[name] ?? '';
      if (text === '') return absent;
      const value = readInteger(text);
      if (value === undefined) checks.errors.push(`${label} is invalid`);
      else if (value < 1) checks.errors.push(`${label} must be bigger than zero`);
      return value ?? absent;
    };
    const page = whole('page', 'Page', 1);
    const perPage = whole('entries_per_page', 'Entries Per Page', 200);
    if (perPage > 200) checks.errors.push('Entries Per Page must be less or equal to 200');
    refuseInput(checks.errors);
    const found = [...world.tasks.values()]
      .filter(
        (task) =>
          task.worker_id === account.id &&
          (rating === undefined || task.task_rating === rating) &&
          within(task.finished, from, to),
      )
      .sort((one, other) => other.finished - one.finished);
    const start = (page - 1) * perPage;
    return success({
      tasks: found.slice(start, start + perPage).map((task) => ({
        bonus_worker_earned: formatMoney(task.bonus_worker_earned),
        campaign_id: task.campaign_id,
        campaign_title: world.campaigns.get(task.campaign_id)?.title ?? '',
        csv_record_nr: String(task.csv_record_nr),
        employer_comment: task.employer_comment,
        finished_datetime: formatDatetime(task.finished),
        has_file: task.files.length > 0 ? '1' : '0',
        id: task.task_id,
        ip: task.ip,
        proof: task.proof.filter((slot) => slot !== '').join('\n'),
        task_rating: task.task_rating,
        worker_earned: formatMoney(task.worker_earned),
        worker_id: task.worker_id,
      })),
      pager: pagerOf(found.length, page, perPage),
    });
  },
};

export const listEndpoints: readonly Endpoint[] = [
  excludedEmployers,
  includedEmployers,
  excludeEmployers,
  excludeWorkers,
  unexcludeWorkers,
  submittedTasks,
];
