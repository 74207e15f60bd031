import { codesNotGiven } from '../../domain/evidence/codes.ts';
import { sharedBy } from '../../domain/evidence/likeness.ts';
import { comparedTask, postingsOf, probesOf } from '../../domain/evidence/print.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { AlikeTask } from '../../store/evidence.ts';
import { mostAtPlace } from '../../store/evidence-index-script.ts';
import type { Someone } from '../shared/access.ts';
import { askedOfTask } from '../shared/brief.ts';
import {
  haveSamePicture,
  mostCompared,
  mostFound,
  pictureCandidates,
} from '../shared/comparison/comparison.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { AcrossAccount, Beside } from './look-alike.view.ts';

/** Maximum number of other accounts searched, and of their tasks shown. */
const mostAccounts = 20;
const mostShown = 3;

type Deps = Pick<FeatureContext, 'access' | 'accounts' | 'briefs' | 'evidence' | 'tasks' | 'workers'> & {
  readonly besideOf: (ref: AccountRef, task: Task, alike: AlikeTask) => Promise<Beside>;
};

/** Creates the search of a workspace's other accounts, limited to those the person may see; stores nothing. */
export function createAcrossAccounts(deps: Deps) {
  const { access, accounts, evidence, tasks } = deps;

  /** Returns the other accounts a person may see now. */
  async function visibleTo(someone: Someone, own: AccountRef): Promise<AccountRef[]> {
    const all = await accounts.all(own.workspace);
    const others = all.filter(({ account }) => account !== own.account).slice(0, mostAccounts);
    const isVisible = await Promise.all(others.map((other) => access.has(someone, other, 'see')));
    return others.filter((_, index) => isVisible[index]);
  }

  /** Returns what a task has in common with another account's tasks. */
  async function alikeIn(
    own: AccountRef,
    task: Task,
    other: AccountRef,
  ): Promise<{ readonly all: AlikeTask[]; readonly records: Map<string, Task> }> {
    const printed = comparedTask(task);
    const found = await evidence.index.find(other, task.id, postingsOf(printed), probesOf(printed));
    const candidates = pictureCandidates(found);
    const places = found.found.flatMap((place) => place.tasks);
    const others = await tasks.getMany(other, [
      ...new Set([...candidates, ...mostFound(places, mostCompared)]),
    ]);
    const asked = await askedOfTask(deps, own, task);
    const given = asked === undefined ? '' : [asked.work, ...asked.proofs].join('\n');
    const compared = { ...printed, codes: codesNotGiven(printed.codes, given) };
    // The frequency of browsers in that account is unknown.
    const isCommon = (kind: string) =>
      kind === 'browser' ||
      found.found.some((place) => place.kind === kind && place.tasks.length > mostAtPlace - 2);
    const all: AlikeTask[] = [];
    const records = new Map<string, Task>();
    for (const one of others) {
      if (one.detailsRemovedAt !== undefined) continue;
      const against = comparedTask(one);
      const hasSamePicture = candidates.has(one.id) && (await haveSamePicture(compared, against));
      const shared = sharedBy(compared, against, { isCommon, hasSamePicture });
      if (shared === undefined) continue;
      all.push({ ...shared, task: one.id, worker: one.worker.id, campaign: one.campaign });
      records.set(one.id, one);
    }
    return { all: all.toSorted((a, b) => b.kinds.length - a.kinds.length), records };
  }

  async function lookIn(own: AccountRef, task: Task, other: AccountRef): Promise<AcrossAccount | undefined> {
    const [{ all, records }, record, owners] = await Promise.all([
      alikeIn(own, task, other),
      deps.workers.record(other, task.worker.id),
      accounts.owners(other),
    ]);
    if (all.length === 0 && record.campaigns === 0) return undefined;
    const shown = all.slice(0, mostShown).flatMap((alike) => {
      const found = records.get(alike.task);
      return found === undefined ? [] : [deps.besideOf(other, found, alike)];
    });
    return { ...owners, all, record, others: await Promise.all(shown) };
  }

  /**
   * Returns the evidence on a task and its worker in the other accounts the person may currently see, most in common
   * first.
   */
  return async function across(someone: Someone, own: AccountRef, task: Task): Promise<AcrossAccount[]> {
    const others = await visibleTo(someone, own);
    const found = await Promise.all(others.map((other) => lookIn(own, task, other)));
    return found
      .filter((one) => one !== undefined)
      .toSorted((a, b) => b.all.length - a.all.length || b.record.campaigns - a.record.campaigns);
  };
}
