import type { AccountRef } from '../../domain/terms.ts';
import type { DeadLetter, Jobs } from '../../jobs/queue.ts';
import type { Actor, Click, Feature } from '../../slack/feature.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Announcements } from '../../store/announcements.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { Tasks } from '../../store/tasks.ts';
import {
  allRetried,
  discarded,
  type GivenUpLine,
  givenUpMessage,
  notThere,
  retried,
} from './given-up.view.ts';

/** Work that was tried as often as it may be: shown to the account's members, to be tried again or discarded. */
export function createGivenUp(deps: {
  accounts: Accounts;
  tasks: Tasks;
  campaigns: Campaigns;
  announcements: Announcements;
  jobs: Jobs;
}): Feature {
  const { jobs, tasks } = deps;

  async function linesOf(ref: AccountRef): Promise<GivenUpLine[]> {
    const lines: GivenUpLine[] = [];
    for (const { key, name, payload, reason, at } of await jobs.deadLetters(ref)) {
      const task = payload.task === undefined ? undefined : await tasks.get(ref, payload.task);
      const title = task && (await deps.campaigns.get(ref, task.campaign))?.title;
      lines.push({ key, name, reason, at, ...(title ? { campaignTitle: title } : {}) });
    }
    return lines;
  }

  /** The work a click is about, if it is of an account the person may act for. */
  async function chosen(click: Click): Promise<{ ref: AccountRef; work: DeadLetter | undefined }> {
    const ref = await deps.accounts.require(click.workspace, click.member);
    return { ref, work: (await jobs.deadLetters(ref)).find(({ key }) => key === click.value) };
  }

  async function show({ workspace, member }: Actor, say: Actor['answer'], after?: string): Promise<void> {
    const ref = await deps.accounts.require(workspace, member);
    await say(givenUpMessage(await linesOf(ref), after));
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'failed',
        usage: '',
        help: 'Lists work that was given up after many tries, to try it again or discard it.',
        run: (command) => show(command, command.answer),
      },
    ],
    clicks: {
      async 'given-up.retry'(click) {
        const { work } = await chosen(click);
        const done = work !== undefined && (await jobs.retry(work.key));
        await show(click, click.replace, done ? retried : notThere);
      },
      async 'given-up.retry-all'(click) {
        const ref = await deps.accounts.require(click.workspace, click.member);
        for (const { key } of await jobs.deadLetters(ref)) await jobs.retry(key);
        await show(click, click.replace, allRetried);
      },
      async 'given-up.discard'(click) {
        const { ref, work } = await chosen(click);
        const done = work !== undefined && (await jobs.discard(work.key));
        if (done && work.payload.task) await tasks.clearNeedsRender(ref, work.payload.task);
        if (done && work.payload.message)
          await deps.announcements.clearNeedsRender(ref, work.payload.message);
        await show(click, click.replace, done ? discarded : notThere);
      },
    },
  };
}
