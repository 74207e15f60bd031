import type { JobHandlers } from '../../jobs/runner.ts';
import type { CommandRoute, Feature, Submission } from '../../slack/feature.ts';
import type { CampaignsDeps } from './deps.ts';
import { filterForm } from './filter.view.ts';
import { createList } from './list.ts';
import { clearFilter, filterList, pageList, showList } from './list.view.ts';
import { createListings } from './listing.ts';
import { createPick, type Picked } from './pick.ts';
import { openRestart, openRetarget, openStatus, pickForm, sendResults } from './pick.view.ts';
import { createRestart } from './restart.ts';
import { restartForm } from './restart.view.ts';
import { createResults } from './results.ts';
import { postResults } from './results.view.ts';
import { createRetarget } from './retarget.ts';
import { countryTyping, retargetForm } from './retarget.view.ts';
import { createRetargetLater } from './retarget-later.ts';
import { cancelRetarget, retargetThen } from './retarget-later.view.ts';
import { createStatus } from './status.ts';
import { cancelInStatus } from './status.view.ts';
import type { Purpose } from './values.ts';

export type { CampaignsDeps } from './deps.ts';

/** `/campaign`: the campaigns of an account, their state, restarting and retargeting them, and their results. */
export function createCampaignCommands(deps: CampaignsDeps) {
  const listings = createListings(deps);
  const pick = createPick(deps, listings);
  const list = createList(deps, listings);
  const later = createRetargetLater(deps, listings);
  const status = createStatus(deps, listings, pick, later);
  const restart = createRestart(deps, listings, pick);
  const retarget = createRetarget(deps, listings, pick, later);
  const results = createResults(deps, listings, pick);

  const picked: Readonly<Record<Purpose, Picked>> = {
    status: async (asker, ref, known) => ({ afterwards: () => status.show(asker, ref, known) }),
    restart: restart.picked,
    retarget: retarget.picked,
    results: async (asker, ref, { campaign }) => ({ afterwards: () => results.send(asker, ref, campaign) }),
  };

  const feature: Feature = {
    commands: [
      row('', '', '', list.command),
      row('list', '[status]', 'Lists your campaigns, those with tasks waiting first.', list.command),
      row('status', '[id or part of the title]', 'Shows how a campaign stands.', status.command),
      row('restart', '<id> <positions>', 'Adds positions to a finished campaign.', restart.command),
      row('retarget', '<id> [US GB -IN …]', 'Changes the countries of a campaign.', retarget.command),
      row('results', '<id>', 'Sends you the results of a campaign as a file.', results.command),
    ],
    clicks: {
      [filterList]: list.openFilter,
      [clearFilter]: list.turn,
      [showList]: list.show,
      [`${pageList}.newer`]: list.turn,
      [`${pageList}.older`]: list.turn,
      [openStatus]: status.click,
      [cancelInStatus]: status.cancelRetarget,
      [openRestart]: restart.click,
      [openRetarget]: retarget.click,
      [retargetThen]: later.plan,
      [cancelRetarget]: later.cancel,
      [sendResults]: results.click,
      [postResults]: results.post,
    },
    submissions: {
      [pickForm]: (submission: Submission) => pick.submitted(submission, picked),
      [filterForm]: list.filter,
      [restartForm]: restart.submitted,
      [retargetForm]: retarget.submitted,
    },
    typings: {
      [pickForm]: pick.typing,
      [countryTyping]: retarget.typing,
    },
  };

  return {
    feature,
    jobs: { 'retarget-later': later.carryOut } satisfies Partial<JobHandlers>,
    /** What was planned for an account goes on, after a start. */
    resume: later.resume,
  };
}

function row(word: string, usage: string, help: string, run: CommandRoute['run']): CommandRoute {
  return { command: '/campaign', word, usage, help, run };
}
