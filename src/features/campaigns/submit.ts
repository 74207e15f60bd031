import { isIP } from 'node:net';
import { type AccountRef, CampaignId, WorkerId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCommand, onForm } from '../../kit/on.ts';
import type { Feature } from '../../slack/feature.ts';
import type { OpenAttachment } from '../../slack/files.ts';
import { type Attachment, attached, chosen, typed } from '../../slack/form-values.ts';
import type { ActOutcome } from '../people/public.ts';
import { type By, type Change, isFailed, makeChange } from './change.ts';
import { resultView } from './change.view.ts';
import { tryFile } from './draft.ts';
import {
  notSubmitted,
  notSubmittedText,
  type Proof,
  proofMessage,
  proofView,
  severalProblem,
  submitForm,
  submitState,
  submittedText,
  submitting,
  submitUnknownText,
  submitView,
} from './submit.view.ts';

/** Includes the upload of a file of 10 MB. */
const sendTimeoutMs = 60_000;

/** Creates `/campaign submit`, which submits a proof on behalf of a worker. */
export function createSubmitFeature(modules: Modules): Feature {
  const { slack } = modules;
  const { listings } = modules.campaigns;

  /** Submits a proof once. A file that Slack does not deliver counts as a refusal. */
  async function submit(
    ref: AccountRef,
    proof: Proof,
    attachment: Attachment | undefined,
    by: By,
  ): Promise<ActOutcome> {
    let file: OpenAttachment | undefined;
    try {
      file = attachment && (await slack.messengerOf(ref.workspace).attachments.open(attachment));
      return await makeChange(modules, ref, submissionOf(proof, file), by);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { kind: 'refused', sentence: error.message };
    } finally {
      // One that was not read to the end.
      file?.stream.destroy();
    }
  }

  return {
    commands: [
      onCommand(
        {
          command: '/campaign',
          word: 'submit',
          usage: '[campaign]',
          help: 'Submits a proof on behalf of a worker.',
          needs: 'submit',
        },
        async ({ ref, channel, text, open }) => {
          const found = text === '' ? undefined : await listings.find(ref, text);
          if (found === undefined || 'several' in found)
            return open(submitView(channel, {}, found && severalProblem(text, found.several.length)));
          await open(submitView(channel, { campaign: found.campaign }));
        },
        { isPreparing: true },
      ),
    ],
    submissions: {
      /** Submits the proof once, however often Slack delivers the submission. */
      [submitForm.callbackId]: onForm(submitState, 'submit', async (submission) => {
        const { ref, state, values, workspace } = submission;
        const id = CampaignId.optional().parse(chosen(values, 'campaign'));
        const [worker, ip, proof] = [typed(values, 'worker'), typed(values, 'ip'), typed(values, 'proof')];
        const errors = {
          ...(id === undefined ? { campaign: 'Choose a campaign.' } : {}),
          ...(worker === '' ? { worker: 'Enter the id of the worker.' } : {}),
          ...(isIP(ip) === 0 ? { ip: 'Enter an IP address, such as 192.0.2.7.' } : {}),
          ...(proof === '' ? { proof: 'Enter the proof.' } : {}),
        };
        if (id === undefined || Object.keys(errors).length > 0) return { errors };
        const [file] = attached(values, 'file');
        const described = file && (() => slack.messengerOf(workspace).attachments.describe(file));
        const attachment = described && (await tryFile('file', described));
        if (attachment && 'text' in attachment) return { errors: { file: attachment.text } };
        const filled = { campaign: await listings.byId(ref, id), worker, ip, proof };
        return {
          update: proofView(filled, ...submitting),
          async afterwards() {
            const result = await submit(ref, filled, attachment, doneBy(submission));
            const { sentence } = result;
            const at = { view: submission.id, channel: state.channel };
            if (result.kind === 'done')
              return submission.show(resultView(submitForm, sentence), sentence, at);
            if (!isFailed(result))
              return submission.show(proofView(filled, sentence), proofMessage(filled, sentence), at);
            const again = notSubmittedText(sentence, attachment !== undefined);
            const message = proofMessage(filled, notSubmitted(filled, sentence));
            await submission.show(submitView(state.channel, filled, again), message, at);
          },
        };
      }),
    },
  };
}

/** Returns the submission of a proof. */
function submissionOf(filled: Proof, file: OpenAttachment | undefined): Change {
  const { campaign, worker, ip, proof } = filled;
  return {
    entry: { what: 'submit', campaign: campaign.id, worker: WorkerId.parse(worker) },
    async send(client) {
      const input = { workerId: worker, ip, proof, ...(file ? { file } : {}) };
      const { taskId } = await client.submitFileProof(campaign.id, input, { deadlineMs: sendTimeoutMs });
      return { sentence: submittedText(filled, taskId), end: { task: taskId } };
    },
    unknownText: submitUnknownText(filled),
  };
}
