import { isIP } from 'node:net';
import { type AccountRef, CampaignId, WorkerId } from '../../domain/terms.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import {
  type CallFailure,
  incompleteAnswer,
  MarketplaceError,
  type MarketplaceErrorCode,
} from '../../marketplace/index.ts';
import type { Command, Feature } from '../../slack/feature.ts';
import { chosen, typed } from '../../slack/form-values.ts';
import { nextVersion, type OpenFiles, type Problem, withRemoved } from '../../ui/draft.ts';
import { createDraftForm } from '../../ui/draft-form.ts';
import {
  draftView,
  emptyProof,
  foundSentence,
  Proof,
  type SubmissionDraft,
  severalProblem,
  submittedSentences,
  wording,
} from './submit.view.ts';
import { clockToleranceMs } from './words.ts';

/** Creates `/campaign submit`, which submits a proof on behalf of a worker. */
export function createSubmitFeature(context: Modules): Feature {
  const { campaigns } = context;

  const form = createDraftForm(context, {
    name: 'submit',
    needs: 'submit',
    isAsking: false,
    values: Proof,
    wording,
    firstPage: 'form',
    sendPage: 'form',
    emptyValues: emptyProof,
    isWorthResuming: ({ values }) => values.worker !== '',
    view: draftView,
    async valuesIn(ref, { values }, inputs) {
      const id = CampaignId.optional().parse(chosen(inputs, 'campaign'));
      const before = values.campaign?.id === id ? values.campaign : undefined;
      return {
        ...chosenCampaign(id && (before ?? (await campaigns.listings.byId(ref, id)))),
        worker: typed(inputs, 'worker'),
        ip: typed(inputs, 'ip'),
        proof: typed(inputs, 'proof'),
      };
    },
    ...createProofSender(context),
    refused: (_, error) => [refusalOf(error)],
    pageOf: () => 'form',
  });

  async function start(command: Command): Promise<void> {
    const { channel, text } = command;
    const ref = await form.begin(command);
    const found = text === '' ? undefined : await campaigns.listings.find(ref, text);
    const campaign = found && 'campaign' in found ? found.campaign : undefined;
    await form.start(command, ref, {
      channel,
      values: { ...emptyProof, ...chosenCampaign(campaign) },
      problems: found && 'several' in found ? [severalProblem(text, found.several.length)] : [],
    });
  }

  const submitted = form.onSubmit(async ({ submission, ref, draft, filled, goTo }) => {
    const taken = await filled();
    const errors = errorsOf(taken.values);
    if (Object.keys(errors).length > 0) return { errors };
    if (taken.problems.length > 0) return goTo(nextVersion(taken, 'form', { problems: taken.problems }));
    // Stored before the form is replaced: a process may die before it sends.
    await form.advance(ref, draft, taken);
    return form.send(submission, ref, taken);
  });

  return {
    commands: [
      {
        command: '/campaign',
        word: 'submit',
        usage: '[campaign]',
        help: 'Submits a proof on behalf of a worker.',
        needs: 'submit',
        run: start,
      },
    ],
    submissions: { 'campaign.submit': submitted },
    clicks: {
      ...form.clicks,
      'campaign.submit.file.drop': form.onPage(async ({ draft, filled, goTo }) =>
        goTo(withRemoved(await filled(), draft, 'file')),
      ),
      'campaign.submit.another': form.onPage(async ({ draft, goTo }) => {
        const values = { ...emptyProof, ...chosenCampaign(draft.values.campaign) };
        const unused = { files: {}, sent: undefined, unfinished: undefined };
        await goTo(nextVersion(draft, 'form', { values, ...unused }));
      }),
    },
  };
}

const chosenCampaign = (campaign: Proof['campaign']): Pick<Proof, 'campaign'> =>
  campaign ? { campaign: { id: campaign.id, title: campaign.title } } : {};

/** Returns the errors found before sending, by input. */
function errorsOf({ campaign, worker, ip, proof }: Proof): Record<string, string> {
  return {
    ...(campaign === undefined ? { campaign: 'Choose a campaign.' } : {}),
    ...(worker === '' ? { worker: 'Enter the id of the worker.' } : {}),
    ...(isIP(ip) === 0 ? { ip: 'Enter an IP address, such as 192.0.2.7.' } : {}),
    ...(proof === '' ? { proof: 'Enter the proof.' } : {}),
  };
}

const sendTimeoutMs = 60_000;
const findTimeoutMs = 20_000;

/** Creates the sending of drafts, and the check whether one became a task. */
export function createProofSender({ marketplace }: Modules) {
  return {
    async prepare(ref: AccountRef, draft: SubmissionDraft, { file }: OpenFiles) {
      const client = await marketplace.of(ref);
      const { campaign, worker: workerId, ip, proof } = draft.values;
      const id = CampaignId.parse(campaign?.id);
      const input = { workerId, ip, proof, ...(file ? { file } : {}) };
      return {
        entry: { what: 'submit', campaign: id, worker: WorkerId.parse(workerId) } as const,
        async send() {
          const { taskId } = await client.submitFileProof(id, input, { deadlineMs: sendTimeoutMs });
          return { sentences: submittedSentences(draft, taskId), end: { task: taskId } };
        },
      };
    },

    async find(ref: AccountRef, { values: { campaign, worker, proof }, sent }: SubmissionDraft) {
      const since = (sent?.at ?? 0) - clockToleranceMs;
      const client = await marketplace.of(ref);
      const { rows, problems } = await client.campaignResults(campaign?.id ?? '', {
        deadlineMs: findTimeoutMs,
      });
      const found = rows.filter(
        (row) =>
          row.workerId === worker &&
          row.proof.some((slot) => slot.trim() === proof) &&
          (row.finishedAt === undefined || row.finishedAt.getTime() >= since),
      );
      if (found.length === 0 && problems.length > 0) throw incompleteAnswer('campaignResults');
      const ids = found.map(({ taskId }) => taskId);
      const end = ids.length === 1 && ids[0] ? { task: ids[0] } : {};
      return { isThere: found.length > 0, sentence: foundSentence(ids), end };
    },
  };
}

/** Inputs that a problem can refer to. */
type FieldName = keyof Proof | 'file';

/** The input to which each refusal of submit_file_proof refers. Others are shown at the top. */
const fieldOfCode: Readonly<Partial<Record<MarketplaceErrorCode, FieldName>>> = {
  NO_SUCH_CAMPAIGN: 'campaign',
  JOB_NOT_RUNNING: 'campaign',
  UNKNOWN_WORKER: 'worker',
  WORKER_RESTRICTED: 'worker',
  PHONE_NOT_VALIDATED: 'worker',
  CAMPAIGN_NOT_FOR_THIS_WORKER: 'worker',
  COUNTRY_EXCLUDED: 'worker',
  SUCCESS_RATE_TOO_LOW: 'worker',
  ALREADY_SUBMITTED: 'worker',
  IP_NOT_IN_ACCEPTED_COUNTRIES: 'ip',
  IP_NOT_IN_ACCEPTED_COUNTRY: 'ip',
  SAME_IP_ALREADY_SUBMITTED: 'ip',
  IP_DOES_NOT_MATCH: 'ip',
  PROOF_REQUIRED: 'proof',
  VCODE_INCORRECT: 'proof',
  FILE_FORMAT_NOT_SUPPORTED: 'file',
  FILE_HAS_VIRUS: 'file',
  FILE_UPLOAD_FAILURE: 'file',
};

/** Maps a refusal of submit_file_proof to a problem: at the named field, else at the top. */
function refusalOf(error: CallFailure): Problem {
  const field = error instanceof MarketplaceError ? fieldOfCode[error.code] : undefined;
  const text = marketplaceErrorText(error);
  return field ? { field, text } : { text: `*Nothing was submitted.* ${text}` };
}
