import { inline } from '../../slack/mrkdwn.ts';
import type { FormWording } from '../../ui/draft-form.view.ts';
import type { CampaignDraft } from './draft.ts';

export const wording: FormWording<CampaignDraft> = {
  title: 'New campaign',
  command: '/campaign new',
  noteForm: 'campaign.create.note',
  actions: {
    resume: 'campaign.create.go-on',
    discard: 'campaign.create.discard',
    lookAgain: 'campaign.create.look',
    backToForm: 'campaign.create.again',
    open: 'campaign.create.open',
  },
  send: 'Create',
  sent: 'created',
  subject: ({ values: { title } }) => (title.trim() === '' ? 'the campaign' : `*${inline(title)}*`),
  sendAgainOnlyIf:
    'Press Create only if `/campaign list` does not show it: a second campaign costs as much again.',
  foundIn: 'The list of campaigns',
};
