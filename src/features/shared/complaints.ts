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

/** Of what the index finds for one word, so much is looked at. */
const mostFound = 20;

type Deps = Pick<FeatureContext, 'campaigns' | 'findIndex' | 'tasks'>;

/** Creates what finds out which tasks a message is about. It only reads what the message and the tasks say. */
export function createComplaintLinks({ campaigns, findIndex, tasks }: Deps) {
  async function candidates(ref: AccountRef, words: readonly string[]): Promise<Task[]> {
    if (words.length === 0) return [];
    const { found } = await findIndex.look(ref, words, { before: undefined, most: mostFound });
    return tasks.withRecords(
      ref,
      found.map(({ task }) => task),
    );
  }

  /** Returns the campaigns that a text names, by id or by title. */
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

  /** Returns the tasks in whose proof a code stands that the text names; one that many have says nothing. */
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

  /** Returns the tasks whose id a text names in capitals, or however somebody has typed it. */
  async function byTypedId(ref: AccountRef, names: readonly string[]): Promise<Task[]> {
    const found: Task[] = [];
    for (const name of names.filter((one) => /\d/u.test(one))) {
      const normalized = normalizeText(name);
      const having = await candidates(ref, wordsOf(name));
      found.push(...having.filter(({ id }) => normalizeText(id) === normalized));
    }
    return found;
  }

  /** Returns the tasks of workers whom a text names, by id or by name. */
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

  /** Returns the newest of some tasks: those of a campaign that is named, and of these the refused ones, where there are any. */
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
    /** Returns what a text is about; undefined when it names nothing that is known. */
    async about(ref: AccountRef, text: string): Promise<About | undefined> {
      const names = namesIn(text);
      const named = await campaignsIn(ref, text, names);
      const ids = names.map((name) => TaskId.parse(name));
      for (const search of [
        () => tasks.withRecords(ref, ids),
        () => byTypedId(ref, names),
        () => byCode(ref, text),
        () => byWorker(ref, names, named),
        // Those whose details were removed are looked for in each campaign.
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

/** Returns what a message is about, as it is shown: with the cards, and who has looked again. */
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
