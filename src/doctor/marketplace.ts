import { getGlobalDispatcher } from 'undici';
import type { Config } from '../config.ts';
import { createMarketplaceClient, MarketplaceError, TransportError } from '../marketplace/index.ts';
import { sentenceFor } from '../marketplace/sentences.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

/** Sent when no key is set: its refusal shows that the marketplace answers. */
const placeholderKey = 'proofdesk-doctor';

/** Checks the marketplace's address and, when there is one, the shared account's key. */
export async function checkMarketplace({ apiKey, ...settings }: Config['marketplace']): Promise<Finding[]> {
  const client = createMarketplaceClient({
    ...settings,
    apiKey: apiKey ?? placeholderKey,
    dispatcher: getGlobalDispatcher(),
  });
  try {
    const campaigns = await client.listCampaigns();
    return [
      answers,
      ...keyFinding(apiKey, ok(keySetting, `the marketplace accepts it; campaigns: ${campaigns.length}.`)),
    ];
  } catch (error) {
    if (error instanceof TransportError) {
      const text =
        error.kind === 'http' || error.kind === 'unreadable'
          ? 'what answers there is not the marketplace. Check the address.'
          : 'it cannot be reached. Check the address, and this machine’s network and proxy.';
      return [wrong(addressSetting, text)];
    }
    if (!(error instanceof MarketplaceError)) throw error;
    if (error.code === 'API_KEY_WRONG') {
      const text = `the marketplace does not accept it. Copy it again; if it is correct, check MARKETPLACE_KEY_HEADER (${settings.keyHeader}).`;
      return [answers, ...keyFinding(apiKey, wrong(keySetting, text))];
    }
    return [answers, ...keyFinding(apiKey, wrong(keySetting, sentenceFor(error)))];
  } finally {
    await client.close();
  }
}

const addressSetting = 'MARKETPLACE_BASE_URL';
const keySetting = 'MARKETPLACE_API_KEY';
const answers = ok(addressSetting, 'the marketplace answers.');

function keyFinding(apiKey: string | undefined, finding: Finding): Finding[] {
  return apiKey === undefined
    ? [note(keySetting, 'not set: members connect their own accounts with /proofdesk connect.')]
    : [finding];
}
