import { titleKey } from '../../domain/campaign-search.ts';
import { queryOf } from '../../domain/find/terms.ts';
import type { AccountRef, WorkerId } from '../../domain/terms.ts';
import type { Modules } from '../modules.ts';

/** Maximum number of tasks with all words of a name that are looked at. */
const mostTasks = 200;

/** Returns the workers with a name, as it stands on cards; the latest task first. */
export async function workersNamed(
  { campaigns, tasks }: Modules,
  ref: AccountRef,
  name: string,
): Promise<WorkerId[]> {
  const { terms } = queryOf(name, { seesAddresses: false });
  if (terms.length === 0) return [];
  const { found } = await campaigns.findIndex.look(ref, terms, { before: undefined, most: mostTasks });
  const records = await tasks.getMany(
    ref,
    found.map(({ task }) => task),
  );
  const wanted = titleKey(name);
  const named = records.filter(({ worker }) => titleKey(worker.name ?? '') === wanted);
  return [...new Set(named.map(({ worker }) => worker.id))];
}
