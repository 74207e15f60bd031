import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';
import { createCampaignForm } from './form.ts';
import { goBack } from './inputs.view.ts';
import { categoryChanged, jobForm, paymentChanged, positionsChanged } from './job.view.ts';
import { loadAgain } from './result.view.ts';
import { confirmCreate } from './review.view.ts';
import { addProof, descriptionChanged, removeFile, removeProof, workForm } from './work.view.ts';

/** Creates `/campaign new`, with its button and shortcut. */
export function createCreateFeature(context: Modules) {
  const form = createCampaignForm(context);
  const feature: Feature = {
    commands: [
      {
        command: '/campaign',
        word: 'new',
        usage: '',
        help: 'Opens a form for a new campaign.',
        needs: 'create',
        run: form.start,
      },
    ],
    shortcuts: { new_campaign: form.entry(form.start) },
    clicks: {
      ...form.clicks,
      'campaign.new': form.entry(form.start),
      [loadAgain]: form.entry(form.loadAgain),
      [categoryChanged]: form.jobChanged,
      [paymentChanged]: form.jobChanged,
      [positionsChanged]: form.jobChanged,
      [descriptionChanged]: form.workChanged,
      [addProof]: form.workChanged,
      [removeProof]: form.workChanged,
      [removeFile]: form.workChanged,
      [goBack]: form.back,
      [confirmCreate]: form.confirmed,
    },
    submissions: {
      [jobForm]: form.entry(form.jobSubmitted),
      [workForm]: form.entry(form.workSubmitted),
    },
    typings: { [categoryChanged]: form.entry(form.typing) },
  };
  /** Performs an approved creation. */
  return { feature, approved: form.approved };
}
