import type { Capability } from '../../domain/permissions.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Click, Command, CommandRoute, Entry, Feature, Submission } from '../../slack/feature.ts';
import { changeRestart, confirmRestart, countrySelect, restartForm, retargetForm } from './change.view.ts';
import { type ChosenHandler, createCampaignChooser } from './choose.ts';
import { chooseForm, openRestart, openRetarget, openStatus, sendResults } from './choose.view.ts';
import { createList } from './list.ts';
import { clearFilter, filterForm, filterList, showList, turnPage } from './list.view.ts';
import { createRestart } from './restart.ts';
import { createResults } from './results.ts';
import { postResults, resultsAsOriginal } from './results.view.ts';
import { createRetarget } from './retarget.ts';
import { createStatus } from './status.ts';
import { askTimeToRate, timeToRateForm } from './status.view.ts';
import type { Purpose } from './words.ts';

/** Creates `/campaign`: an account's campaigns, their status, restart, retargeting and results. */
export function createCampaignCommands(context: Modules) {
  const chooser = createCampaignChooser(context);
  const list = createList(context);
  const status = createStatus(context, chooser);
  const restart = createRestart(context, chooser);
  const retarget = createRetarget(context, chooser);
  const results = createResults(context, chooser);

  const chosen: Readonly<Record<Purpose, ChosenHandler>> = {
    status: async (requester, ref, resolved) => ({
      afterwards: () => status.show(requester, ref, resolved),
    }),
    restart: restart.chosen,
    retarget: retarget.chosen,
    results: async (requester, ref, { campaign }) => ({
      afterwards: () => results.send(requester, ref, campaign),
    }),
  };

  const feature: Feature = {
    commands: [
      route('', '', '', 'see', list.command),
      route('list', '[status]', 'Lists your campaigns, those with waiting tasks first.', 'see', list.command),
      route(
        'status',
        '[id or part of the title]',
        'Shows how a campaign is doing. Type it alone to choose one.',
        'see',
        status.command,
      ),
      route(
        'restart',
        '<id> <positions>',
        'Adds positions to a finished campaign. Type it alone for a form.',
        'restart',
        restart.command,
      ),
      route(
        'retarget',
        '<id> [US GB -IN …]',
        'Changes the countries of a campaign at once. Type it alone for a form.',
        'retarget',
        retarget.command,
      ),
      route(
        'results',
        '<id>',
        'Sends you the results of a campaign as a file. Type it alone to choose one.',
        'see',
        results.command,
      ),
    ],
    clicks: {
      [filterList]: allow('see', list.openFilter),
      [clearFilter]: allow('see', list.clearFilter),
      [showList]: slow(list.show),
      [`${turnPage}.previous`]: allow('see', list.showPage),
      [`${turnPage}.next`]: allow('see', list.showPage),
      [openStatus]: slow(status.click),
      [askTimeToRate]: allow('deadlines', status.askTimeToRate),
      [openRestart]: allow('restart', restart.click),
      [confirmRestart]: allow('restart', restart.confirmed),
      [changeRestart]: allow('restart', restart.changed),
      [openRetarget]: allow('retarget', retarget.click),
      [sendResults]: slow(results.click),
      [postResults]: { needs: 'rate', once: true, run: results.post },
      [resultsAsOriginal]: { needs: 'addresses', once: true, run: results.sendOriginal },
    },
    submissions: {
      [chooseForm]: {
        needs: 'see',
        also: ['restart', 'retarget'],
        run: (submission: Submission) => chooser.submitted(submission, chosen),
      },
      [filterForm]: { needs: 'see', run: list.filter },
      [timeToRateForm]: { needs: 'deadlines', run: status.timeToRateSubmitted },
      [restartForm.callbackId]: { needs: 'restart', run: restart.submitted },
      [retargetForm.callbackId]: { needs: 'retarget', run: retarget.submitted },
    },
    typings: {
      [chooseForm]: { needs: 'see', run: chooser.options },
      [countrySelect]: { needs: 'anyone', run: retarget.options },
    },
  };

  return {
    feature,
    /** Performs an approved restart. */
    approved: restart.approved,
  };
}

function route(
  word: string,
  usage: string,
  help: string,
  needs: Capability,
  run: (command: Command) => Promise<void>,
): CommandRoute {
  return { command: '/campaign', word, usage, help, needs, run };
}

/** Declares the right a click requires. */
function allow(needs: Capability, run: (click: Click) => Promise<void>): Entry<Click> {
  return { needs, run };
}

/** Declares a click for every member who sees the account; it calls the marketplace before answering. */
function slow(run: (click: Click) => Promise<void>): Entry<Click> {
  return { needs: 'see', isSlow: true, once: true, run };
}
