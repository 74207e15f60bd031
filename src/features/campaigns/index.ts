import type { Modules } from '../../kit/modules.ts';
import { createRestart, createRetarget } from './change.ts';
import { createCampaignChooser } from './choose.ts';
import { createCreateFeature } from './create.ts';
import { createCampaignList, createStatus } from './list.ts';
import { createResults } from './results.ts';
import { createSubmitFeature } from './submit.ts';

/** Creates `/campaign`: an account's campaigns, their status, restart, countries and results; new ones, and proofs. */
export function createCampaigns(context: Modules) {
  const chooser = createCampaignChooser(context);
  const status = createStatus(context, chooser);
  const restart = createRestart(context, chooser);
  const retarget = createRetarget(context, chooser);
  const results = createResults(context, chooser);
  const create = createCreateFeature(context);
  return {
    features: [
      createCampaignList(context),
      status.feature,
      restart.feature,
      retarget.feature,
      results.feature,
      chooser.feature({
        status: status.chosen,
        restart: restart.chosen,
        retarget: retarget.chosen,
        results: results.chosen,
      }),
      create.feature,
      createSubmitFeature(context),
    ],
    /** Performs what was approved. */
    approved: { restart: restart.approved, create: create.approved },
  };
}
