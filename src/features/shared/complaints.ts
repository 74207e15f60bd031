import {
  type About,
  campaignsNamed,
  isDecided,
  type LookedAgain,
  mostAbout,
  namesIn,
} from '../../domain/complaint.ts';
import { codesIn } from '../../domain/evidence/codes.ts';
import { normalizeText } from '../../domain/evidence/normalize.ts';
import { wordsOf } from '../../domain/find/terms.ts';
import type { Task } from '../../domain/task.ts';
import { type AccountRef, CampaignId, TaskId } from '../../domain/terms.ts';
import type { LinkedTask, ShownAbout } from './complaint.view.ts';
import type { FeatureContext } from './context.ts';

/** Maximum index results examined per word. */
const mostFound = 20;

type Deps = Pick<FeatureContext, 'campaigns' | 'findIndex' | 'tasks'>;

/** Creates the lookup of the tasks a message refers to, based only on the text of the message and the tasks. */
export function createComplaintLinks({ campaigns, findIndex, tasks }: Deps) {
  async function candidates(ref: AccountRef, words: readonly string[]): Promise<Task[]> {
    if (words.length === 0) return [];
    const { found } = await findIndex.look(ref, words, { before: undefined, most: mostFound });
    return tasks.withRecords(
      ref,
      found.map(({ task }) => task),
    );
  }

  /** Returns the campaigns that a text names, by id or title. */
  async function campaignsIn(
    ref: AccountRef,
    text: string,
    names: readonly string[],
  ): Promise<Set<CampaignId>> {
    const byId = await campaigns.getMany(
      ref,
      names.map((name) => CampaignId.parse(name)),
    );
    if (byId.size > 0) return new Set(byId.keys());
    return new Set(campaignsNamed(text, await campaigns.all(ref)).map(({ id }) => id));
  }

  /** Returns the tasks whose proof contains a code named in the text; codes shared by many tasks are ignored. */
  async function byCode(ref: AccountRef, text: string): Promise<Task[]> {
    const found: Task[] = [];
    for (const code of codesIn([text])) {
      const having = (await candidates(ref, [code])).filter(({ proof }) =>
        codesIn(proof.slots).includes(code),
      );
      if (having.length <= mostAbout) found.push(...having);
    }
    return found;
  }

  /** Returns the tasks whose id a text names, in any letter case. */
  async function byTypedId(ref: AccountRef, names: readonly string[]): Promise<Task[]> {
    const found: Task[] = [];
    for (const name of names.filter((one) => /\d/u.test(one))) {
      const normalized = normalizeText(name);
      const having = await candidates(ref, wordsOf(name));
      found.push(...having.filter(({ id }) => normalizeText(id) === normalized));
    }
    return found;
  }

  /** Returns the tasks of workers that a text names, by id or name. */
  async function byWorker(
    ref: AccountRef,
    names: readonly string[],
    named: ReadonlySet<CampaignId>,
  ): Promise<Task[]> {
    const found: Task[] = [];
    for (const name of names) {
      const normalized = normalizeText(name);
      const words = wordsOf(name);
      const places =
        named.size === 0 ? [[]] : [...named].slice(0, mostAbout).map((campaign) => wordsOf(campaign));
      for (const place of places) {
        const own = (await candidates(ref, [...words, ...place])).filter(
          ({ worker }) => worker.id === name || normalizeText(worker.name ?? '') === normalized,
        );
        found.push(...own);
      }
    }
    return found;
  }

  /** Returns the newest tasks: those of a named campaign if any, and of these the refused ones if any. */
  function likeliest(found: readonly Task[], named: ReadonlySet<CampaignId>): TaskId[] {
    const narrowed = [
      ({ campaign }: Task) => named.has(campaign),
      isDecided,
      ({ rating }: Task) => rating === 'NOK' || rating === 'REVISE',
    ].reduce<readonly Task[]>((left, isLikely) => {
      const likely = left.filter(isLikely);
      return likely.length > 0 ? likely : left;
    }, found);
    const newest = narrowed.toSorted((a, b) => b.ratedAt - a.ratedAt);
    return [...new Set(newest.map(({ id }) => id))].slice(0, mostAbout);
  }

  return {
    /** Returns what a text refers to; undefined if it names nothing known. */
    async about(ref: AccountRef, text: string): Promise<About | undefined> {
      const names = namesIn(text);
      const named = await campaignsIn(ref, text, names);
      const ids = names.map((name) => TaskId.parse(name));
      for (const search of [
        () => tasks.withRecords(ref, ids),
        () => byTypedId(ref, names),
        () => byCode(ref, text),
        () => byWorker(ref, names, named),
        // Tasks whose details were removed are looked up per campaign.
        () => tasks.getMany(ref, ids),
      ]) {
        const found = await search();
        if (found.length > 0) return { tasks: likeliest(found, named) };
      }
      const [campaign] = named;
      return campaign === undefined ? undefined : { tasks: [], campaign };
    },
  };
}

type ShownDeps = Deps & Pick<FeatureContext, 'messengerOf'>;

/** Returns what a message refers to, ready to render: with cards, and who looked again. */
export async function shownAbout(
  { campaigns, messengerOf, tasks }: ShownDeps,
  ref: AccountRef,
  about: About | undefined,
  looks: readonly LookedAgain[] = [],
): Promise<ShownAbout> {
  if (about === undefined) return { tasks: [] };
  const found = new Map((await tasks.getMany(ref, about.tasks)).map((task) => [task.id, task]));
  const ids = [...found.values()].map(({ campaign }) => campaign).concat(about.campaign ?? []);
  const titles = await campaigns.getMany(ref, [...new Set(ids)]);
  const titleOf = (id: CampaignId) => titles.get(id)?.title ?? 'A campaign';
  const linked = await Promise.all(
    about.tasks.flatMap((id) => {
      const task = found.get(id);
      return task === undefined ? [] : [linkedOf(task)];
    }),
  );
  return {
    tasks: linked,
    ...(about.campaign === undefined ? {} : { campaignTitle: titleOf(about.campaign) }),
  };

  async function linkedOf(task: Task): Promise<LinkedTask> {
    const { card } = task;
    const address = card.state === 'posted' ? await messengerOf(ref.workspace).permalink(card) : undefined;
    const lookedAgain = looks.find((look) => look.task === task.id);
    return {
      task,
      campaignTitle: titleOf(task.campaign),
      ...(address === undefined ? {} : { card: address }),
      ...(lookedAgain === undefined ? {} : { lookedAgain }),
    };
  }
}
