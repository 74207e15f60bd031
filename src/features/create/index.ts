import type { Feature } from '../../slack/feature.ts';
import { checkForm } from './check.view.ts';
import type { CreateDeps } from './deps.ts';
import { createForms } from './forms.ts';
import { categoryChanged, goOn, jobForm, paymentChanged, positionsChanged } from './job.view.ts';
import { createOpening } from './opening.ts';
import { backToForm, loadAgain, lookAgain, openForm } from './outcome.view.ts';
import { createPages } from './pages.ts';
import { goBack } from './parts.view.ts';
import { addProof, descriptionChanged, dropFile, dropProof, workForm } from './work.view.ts';

/** `/campaign new`, and the button and shortcut of the same: creating a campaign. */
export function createCreateFeature(deps: CreateDeps): Feature {
  const pages = createPages(deps);
  const opening = createOpening(deps, pages);
  const forms = createForms(deps, pages);
  return {
    commands: [
      {
        command: '/campaign',
        word: 'new',
        usage: '',
        help: 'Opens a form for a new campaign.',
        run: opening.start,
      },
    ],
    shortcuts: { new_campaign: opening.start },
    clicks: {
      'campaign.new': opening.start,
      [openForm]: opening.open,
      [goOn]: opening.goOn,
      [loadAgain]: opening.loadAgain,
      [categoryChanged]: forms.jobChanged,
      [paymentChanged]: forms.jobChanged,
      [positionsChanged]: forms.jobChanged,
      [descriptionChanged]: forms.workChanged,
      [addProof]: forms.workChanged,
      [dropProof]: forms.workChanged,
      [dropFile]: forms.workChanged,
      [goBack]: forms.back,
      [lookAgain]: forms.look,
      [backToForm]: forms.again,
    },
    submissions: {
      [jobForm]: forms.jobSubmitted,
      [workForm]: forms.workSubmitted,
      [checkForm]: forms.checkSubmitted,
    },
    typings: { [categoryChanged]: opening.typing },
  };
}
