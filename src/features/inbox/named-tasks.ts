import { type AccountRef, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { NamedTask } from './named-tasks.view.ts';

/** Maximum number of tasks shown, and of words of a message looked up. */
const mostShown = 3;
const mostWords = 40;
const wordLike = /[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu;

/** Returns the words of a message that may be the id of a task: those with a digit, as written and in lower case. */
export function idsIn(text: string): TaskId[] {
  const words = [...text.slice(0, 20_000).matchAll(wordLike)]
    .map(([word]) => word)
    .filter((word) => /\d/u.test(word) && word.length >= 3 && word.length <= 64);
  return [...new Set(words)]
    .slice(0, mostWords)
    .flatMap((word) => [...new Set([word, word.toLowerCase()])].map((id) => TaskId.parse(id)));
}

/** Returns the tasks whose id a message names and that have a card, with links to their cards. */
export async function namedTasks(
  { campaigns, slack, tasks }: Modules,
  ref: AccountRef,
  text: string,
): Promise<NamedTask[]> {
  const ids = idsIn(text);
  if (ids.length === 0) return [];
  const found = (await tasks.getMany(ref, ids)).slice(0, mostShown);
  const titles = await campaigns.getMany(ref, [...new Set(found.map(({ campaign }) => campaign))]);
  const named = await Promise.all(
    found.map(async (task) => {
      const { campaign, worker } = task;
      const address = await slack.linkTo(ref, task);
      const campaignTitle = titles.get(campaign)?.title ?? 'A campaign';
      return address === undefined
        ? []
        : [{ campaignTitle, worker: worker.name ?? worker.id, card: address }];
    }),
  );
  return named.flat();
}
