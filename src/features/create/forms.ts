import type { Click, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { plain } from '../../slack/mrkdwn.ts';
import { categoryOf } from './catalogue.ts';
import { allProblems, firstPage, jobProblems, pageOf, workProblems } from './checks.ts';
import type { CreateDeps } from './deps.ts';
import { type Draft, inputId, moved, type Problem } from './draft.ts';
import { createFiles, without } from './files.ts';
import { jobInputs, type NewFiles, newFiles, workInputs } from './inputs.ts';
import {
  draftView,
  goneSentence,
  lostPartProblem,
  notLoadedView,
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
  const { drafts, catalogues, viewOf, current, kept, redraw, tell, filled } = pages;
  const files = createFiles(deps);
  const sender = createSender(deps, { drafts, catalogues, files });

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
      const next = await kept(ref, moved({ ...draft, fields }, 'work', { problems: left }));
      return { update: draftView(next, catalogue) };
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
      const filledIn = { ...draft, fields: workInputs(draft.fields, values) };
      const added = newFiles(draft, values);
      if (isLost) {
        const { draft: taken } = await files.take(workspace, filledIn, added);
        const first = await kept(ref, moved(taken, 'job', { problems: [lostPartProblem] }));
        return { update: await viewOf(ref, first) };
      }
      const problems = workProblems(filledIn.fields, (added.csv ?? draft.csv) !== undefined);
      if (problems.length > 0) return { errors: errorsOf(draft, problems) };
      const isRead = filledIn.fields.description === 'SAME' || draft.template !== undefined;
      if (added.file === undefined && added.csv === undefined && isRead) {
        return { update: await viewOf(ref, await kept(ref, moved(filledIn, 'check'))) };
      }
      return {
        update: readingView(draft),
        async afterwards() {
          if (!(await once(workspace, `create ${draft.id} ${draft.turn}`))) return;
          const taken = await files.take(workspace, filledIn, added);
          const read =
            filledIn.fields.description === 'UNIQUE'
              ? await files.read(workspace, taken.draft)
              : { draft: taken.draft, problems: [] };
          const wrong = [...taken.problems, ...read.problems];
          const next = moved(read.draft, wrong.length > 0 ? 'work' : 'check', { problems: wrong });
          await tell(submission, ref, submission.id, await kept(ref, next));
        },
      };
    },

    async checkSubmitted(submission: Submission): Promise<SubmissionAnswer> {
      const { workspace } = submission;
      const { ref, draft, isLost, isOld } = await current(submission, submission);
      if (isLost) {
        return { update: notLoadedView(draft, goneSentence) };
      }
      if (isOld) return { update: await viewOf(ref, draft) };
      if (draft.account !== ref.account) {
        const mine = { ...draft, account: ref.account };
        const again = await kept(ref, moved(mine, 'check', { problems: [otherAccountProblem] }));
        return { update: await viewOf(ref, again) };
      }
      const problems = allProblems(draft, categoryOf(await catalogues.at(ref), draft.fields.category));
      if (problems.length > 0) {
        const again = await kept(ref, moved(draft, firstPage(problems), { problems }));
        return { update: await viewOf(ref, again) };
      }
      return {
        update: sendingView(draft),
        async afterwards() {
          if (!(await once(workspace, `create ${draft.id} ${draft.turn}`))) return;
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
        await redraw(ref, click, view, await kept(ref, moved(draft, 'work')));
        return;
      }
      const fields = workInputs(draft.fields, view.values);
      const taken = await files.take(ref.workspace, { ...draft, fields }, newFiles(draft, view.values));
      const left = [...draft.problems.filter((problem) => pageOf(problem) === 'work'), ...taken.problems];
      await redraw(ref, click, view, await kept(ref, moved(taken.draft, 'job', { problems: left })));
    },

    /** Looks once more whether a campaign of unknown end is there. */
    async look(click: Click): Promise<void> {
      const page = await filled(click);
      if (page?.draft.step !== 'unsure') return;
      await tell(click, page.ref, page.view.id, await sender.look(page.ref, page.draft));
    },

    /** Back to the form after an unknown end, with a warning. */
    async again(click: Click): Promise<void> {
      const page = await filled(click);
      if (page?.draft.step !== 'unsure') return;
      const { ref, draft, view } = page;
      const problems = draft.sent ? [sendAgainProblem(draft.sent.at)] : [];
      await redraw(ref, click, view, await kept(ref, moved(draft, 'check', { problems })));
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
