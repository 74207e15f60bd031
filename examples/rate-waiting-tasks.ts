/**
 * The marketplace client without the bot: lists tasks that wait for a rating, and rates one OK.
 *
 *   npm run build
 *   MARKETPLACE_BASE_URL=http://localhost:4000 MARKETPLACE_API_KEY=employer-demo-key \
 *     npx tsx examples/rate-waiting-tasks.ts [task id]
 */
import {
  createMarketplaceClient,
  MarketplaceError,
  sentenceFor,
  TransportError,
} from 'proofdesk/marketplace';

const { MARKETPLACE_BASE_URL: baseUrl = '', MARKETPLACE_API_KEY: apiKey = '' } = process.env;
const wanted = process.argv[2];

const marketplace = createMarketplaceClient({
  baseUrl,
  apiKey,
  onSkipped: ({ endpoint, index, issues }) =>
    console.warn(`${endpoint}: left out item ${index}: ${issues.join('; ')}`),
});

try {
  const campaigns = await marketplace.listCampaignsExtended({ status: 'RUNNING' });
  for (const { id, title, tasksNotRated } of campaigns) {
    console.log(`${title}: ${tasksNotRated} waiting`);
    const { rows } = await marketplace.campaignResults(id);
    for (const { taskId, rating, proof } of rows) {
      if (rating === 'NOTRATED') console.log(`  ${taskId}  ${proof.join(' / ').slice(0, 60)}`);
    }
  }
  if (wanted !== undefined) {
    const { campaignId } = await marketplace.getTaskInfo(wanted);
    await marketplace.rateTask(campaignId, { taskId: wanted, rating: 'OK', comment: '' });
    console.log(`${wanted} is rated OK`);
  }
} catch (error) {
  if (!(error instanceof MarketplaceError || error instanceof TransportError)) throw error;
  console.error(sentenceFor(error));
  // The rating may have been applied although its answer was lost, so read the task before sending it again.
  if (error instanceof TransportError && error.mayHaveBeenApplied) console.error(`Check ${wanted} first.`);
  process.exitCode = 1;
} finally {
  await marketplace.close();
}
