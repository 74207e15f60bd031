import type { AccountRef } from '../../domain/terms.ts';
import type { Click, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { plain } from '../../slack/mrkdwn.ts';
import { categoryOf } from './catalogue.ts';
import { allProblems, firstPage, jobProblems, pageOf, workProblems } from './checks.ts';
import type { CreateDeps } from './deps.ts';
import { type Draft, inputId, moved, type Problem } from './draft.ts';
import { createFiles, without } from './files.ts';
import { jobInputs, type NewFiles, newFiles, workInputs } from './inputs.ts';
import {
  goneSentence,
  lostPartProblem,
  notLoadedView,
  notSentProblem,
  otherAccountProblem,
  readingView,
  sendAgainProblem,
  sendingView,
} from './outcome.view.ts';
import type { Pages } from './pages.ts';
import { createSender } from './send.ts';
import { addProof, dropFile, dropProof } from './work.view.ts';

/** What can be done on each page of the form. */
export function createForms(deps: CreateDeps, pages: Pages) {
  const { once } = deps;
  const { drafts, catalogues, turns, viewOf, current, kept, redraw, tell, filled } = pages;
  const files = createFiles(deps);
  const sender = createSender(deps, pages, files);

  /** A submission that is delivered again does its slow work once; pressing the button again is another one. */
  const isFirst = ({ workspace, id, hash }: Submission) => once(workspace, `create ${id} ${hash}`);

  /** The draft after it has left a page from which it may be sent. */
  async function leave(ref: AccountRef, from: Draft, to: Draft): Promise<Draft> {
    return (await turns.leave(ref.workspace, from, to)).draft;
  }

  /** Answers a submission with the page that comes next. */
  async function onTo(ref: AccountRef, next: Draft): Promise<SubmissionAnswer> {
    return { update: await viewOf(ref, await kept(ref, next)) };
  }

  return {
    /** Something changed on the first page that others depend on. */
    async jobChanged(click: Click): Promise<void> {
      const page = await filled(click);
      if (page === undefined) return;
      const { ref, draft, view } = page;
      const shown = { ...draft, fields: jobInputs(draft.fields, view.values) };
      await redraw(ref, click, view, shown);
    },

    async jobSubmitted(submission: Submission): Promise<SubmissionAnswer> {
      const { ref, draft, isOld } = await current(submission, submission);
      if (isOld) return { update: await viewOf(ref, draft) };
      const fields = jobInputs(draft.fields, submission.values);
      const catalogue = await catalogues.at(ref);
      const problems = jobProblems(fields, categoryOf(catalogue, fields.category));
      if (problems.length > 0) return { errors: errorsOf(draft, problems) };
      const left = draft.problems.filter((problem) => pageOf(problem) === 'work');
      return onTo(ref, moved({ ...draft, fields }, 'work', { problems: left }));
    },

    /** The second page changes its shape: another kind of description, a proof more or less, a file taken away. */
    async workChanged(click: Click): Promise<void> {
      const page = await filled(click);
      if (page === undefined) return;
      const { ref, draft, view } = page;
      const fields = workInputs(draft.fields, view.values);
      const added = newFiles(draft, view.values);
      const taken = await files.take(ref.workspace, { ...draft, fields }, added);
      const changed = withChange(taken.draft, click, added);
      const shown = { ...changed, problems: [...taken.problems] };
      const latest = await drafts.load(ref.workspace, draft.id);
      if (latest === undefined || latest.turn === draft.turn)
        await redraw(ref, click, view, await kept(ref, shown));
    },

    async workSubmitted(submission: Submission): Promise<SubmissionAnswer> {
      const { workspace, values } = submission;
      const { ref, draft, isLost, isOld } = await current(submission, submission);
      if (isOld) return { update: await viewOf(ref, draft) };
      const fields = workInputs(draft.fields, values);
      const added = newFiles(draft, values);
      const problems = isLost ? [] : workProblems(fields, (added.csv ?? draft.csv) !== undefined);
      if (problems.length > 0) return { errors: errorsOf(draft, problems) };
      const { draft: taken, problems: refused } = await files.take(workspace, { ...draft, fields }, added);
      if (isLost) return onTo(ref, moved(taken, 'job', { problems: [lostPartProblem] }));
      if (refused.length > 0) return onTo(ref, moved(taken, 'work', { problems: refused }));
      if (fields.description === 'SAME' || taken.template !== undefined)
        return onTo(ref, moved(taken, 'check'));
      // Kept before the page is gone: reading takes a while, and a process may end. The inputs for files stay the same,
      // so that what Slack delivers again is understood alike.
      await kept(ref, { ...taken, uploads: draft.uploads, problems: [] });
      return {
        update: readingView(draft),
        async afterwards() {
          if (!(await isFirst(submission))) return;
          const read = await files.read(workspace, taken);
          const page = read.problems.length > 0 ? 'work' : 'check';
          const done = moved(read.draft, page, { problems: read.problems });
          const latest = await drafts.load(workspace, draft.id);
          // Whoever went back to the form meanwhile is left there.
          if (latest === undefined || latest.turn === draft.turn)
            await tell(submission, ref, submission.id, await kept(ref, done));
        },
      };
    },

    async checkSubmitted(submission: Submission): Promise<SubmissionAnswer> {
      const { ref, draft, isLost, isOld } = await current(submission, submission);
      if (isLost) {
        return { update: notLoadedView(draft, goneSentence) };
      }
      if (isOld || draft.step !== 'check') return { update: await viewOf(ref, draft) };
      if (draft.account !== ref.account) {
        const mine = { ...draft, account: ref.account };
        const again = await leave(ref, draft, moved(mine, 'check', { problems: [otherAccountProblem] }));
        return { update: await viewOf(ref, again) };
      }
      const problems = allProblems(draft, categoryOf(await catalogues.at(ref), draft.fields.category));
      if (problems.length > 0) {
        const again = await leave(ref, draft, moved(draft, firstPage(problems), { problems }));
        return { update: await viewOf(ref, again) };
      }
      return {
        update: sendingView(draft),
        async afterwards() {
          if (await isFirst(submission))
            await tell(submission, ref, submission.id, await sender.send(ref, draft));
        },
      };
    },

    /** To the page before; what was typed goes along. */
    async back(click: Click): Promise<void> {
      const page = await filled(click);
      if (page === undefined) return;
      const { ref, draft, view } = page;
      if (draft.step === 'check') {
        await redraw(ref, click, view, await leave(ref, draft, moved(draft, 'work')));
        return;
      }
      const fields = workInputs(draft.fields, view.values);
      const taken = await files.take(ref.workspace, { ...draft, fields }, newFiles(draft, view.values));
      const left = [...draft.problems.filter((problem) => pageOf(problem) === 'work'), ...taken.problems];
      await redraw(ref, click, view, await kept(ref, moved(taken.draft, 'job', { problems: left })));
    },

    /**
     * Looks once more whether a campaign of unknown end is there. On the page that says that it is being sent: shows
     * how that ended, or, as long as nothing was sent, the form.
     */
    async look(click: Click): Promise<void> {
      const page = await filled(click);
      if (page === undefined) return;
      const { ref, draft, view } = page;
      if (draft.step === 'unsure') return tell(click, ref, view.id, await sender.look(ref, draft));
      const unsent = moved(draft, 'check', { problems: [notSentProblem] });
      await redraw(ref, click, view, draft.step === 'check' ? await leave(ref, draft, unsent) : draft);
    },

    /** Back to the form: from an unknown end with a warning, or while files are read. */
    async again(click: Click): Promise<void> {
      const page = await filled(click);
      if (page === undefined) return;
      const { ref, draft, view } = page;
      const problems = draft.sent ? [sendAgainProblem(draft.sent.at)] : [];
      const next =
        draft.step === 'unsure'
          ? await kept(ref, moved(draft, 'check', { problems }))
          : draft.step === 'work'
            ? await kept(ref, { ...moved(draft, 'work'), uploads: draft.uploads + 1 })
            : draft;
      await redraw(ref, click, view, next);
    },
  };
}

function withChange(draft: Draft, { actionId, value }: Click, added: NewFiles): Draft {
  const { fields } = draft;
  switch (actionId) {
    case addProof:
      return { ...draft, fields: { ...fields, proofs: [...fields.proofs, ''].slice(0, 3) } };
    case dropProof:
      return {
        ...draft,
        fields: { ...fields, proofs: fields.proofs.slice(0, Math.max(1, fields.proofs.length - 1)) },
      };
    case dropFile: {
      const field = value === 'csv' ? 'csv' : 'file';
      // Another one that was attached meanwhile has taken its place already.
      return added[field] === undefined ? without(draft, field) : draft;
    }
    default:
      return draft;
  }
}

/** Problems beside their inputs, as plain text. */
function errorsOf(draft: Draft, problems: readonly Problem[]): Record<string, string> {
  return Object.fromEntries(
    problems.flatMap(({ field, text }) => (field ? [[inputId(draft, field), plain(text)]] : [])),
  );
}
