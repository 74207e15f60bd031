import { maxQuery, queryOf } from '../../domain/find/terms.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { inBackground } from '../../kit/budgets.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand } from '../../kit/on.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Actor, Feature, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { messageModal } from '../../slack/message-modal.view.ts';
import { cut } from '../../slack/mrkdwn.ts';
import {
  type FindState,
  findForm,
  findModal,
  findState,
  foundMessage,
  nothingToFind,
  queryInput,
} from './find.view.ts';
import { createIndexing, createSearch } from './search.ts';

/** Maximum number of recent changes indexed before a search. */
const mostIndexedFirst = 200;

/** Creates `/proofdesk find`: an account's tasks by words, worker, address or code, newest first. */
export function createFind(deps: Modules) {
  const { people, campaigns, jobs } = deps;
  const indexing = createIndexing(deps);
  const search = createSearch(deps);

  async function render(
    ref: AccountRef,
    actor: Pick<Actor, 'workspace' | 'team' | 'member'>,
    { text, pages }: Pick<FindState, 'text' | 'pages'>,
  ): Promise<Message> {
    const query = queryOf(text, { seesAddresses: await people.access.has(actor, ref, 'addresses') });
    const pending = await indexing.catchUp(ref, mostIndexedFirst);
    const page = await search.page(ref, actor.member, query, pages.at(-1));
    return foundMessage({ state: { account: ref.account, text, pages }, query, pending, ...page });
  }

  async function submit(submission: Submission): Promise<SubmissionAnswer> {
    const ref = await submission.authorize();
    const asked = typed(submission.values, queryInput);
    if (asked === '') return { errors: { [queryInput]: nothingToFind } };
    const message = await render(ref, submission, { text: asked, pages: [] });
    return { update: messageModal('Find tasks', message) };
  }

  const turn = onButton(findState, 'see', async (click) =>
    click.replace(await render(click.ref, click, click.value)),
  );

  /** Queues the indexing job if any task is waiting. */
  async function queueIndexing(ref: AccountRef): Promise<void> {
    if ((await campaigns.findIndex.countPending(ref)) === 0) return;
    await jobs.add('index-tasks', ref, { uniqueKey: ref.account });
  }

  const feature: Feature = {
    commands: [
      onCommand(
        {
          command: '/proofdesk',
          word: 'find',
          usage: '[words, worker, IP or code]',
          help: 'Finds tasks by what their proofs, comments, notes and file names say.',
          needs: 'see',
        },
        async (asked) => {
          const text = cut(asked.text.trim(), maxQuery);
          if (text === '') return void (await asked.open(findModal()));
          await asked.answer(await render(asked.ref, asked, { text, pages: [] }));
        },
      ),
    ],
    clicks: {
      'find.page.previous': turn,
      'find.page.next': turn,
      'find.worker': onButton(findState, 'see', async (click) =>
        click.answer(await render(click.ref, click, click.value)),
      ),
    },
    submissions: { [findForm]: { needs: 'see', run: submit } },
  };

  return {
    feature,
    jobs: {
      async 'index-tasks'(ref: Payload<'index-tasks'>): Promise<void> {
        await inBackground(() => indexing.indexSome(ref));
        await queueIndexing(ref);
      },
    },
    afterImport: queueIndexing,
    afterPoll: queueIndexing,
  };
}
