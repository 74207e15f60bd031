import type { Config } from '../config.ts';
import { createMarketplaceClient, MarketplaceError, TransportError } from '../marketplace/index.ts';
import { sentenceFor } from '../marketplace/sentences.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

/** Sent when there is no key: that it is turned down shows that the marketplace answers. */
const noKey = 'proofdesk-doctor';

/** Checks the marketplace's address and, when there is one, the shared account's key. */
export async function checkMarketplace({ apiKey, ...settings }: Config['marketplace']): Promise<Finding[]> {
  const client = createMarketplaceClient({ ...settings, apiKey: apiKey ?? noKey });
  try {
    const campaigns = await client.listCampaigns();
    return [answers, ...keyFinding(apiKey, ok(keyPiece, `it is accepted; campaigns: ${campaigns.length}.`))];
  } catch (error) {
    if (error instanceof TransportError) {
      const text =
        error.kind === 'http' || error.kind === 'unreadable'
          ? 'what answers there is not the marketplace. Check the address.'
          : 'it cannot be reached. Check the address, and this machine’s way to it.';
      return [wrong(addressPiece, text)];
    }
    if (!(error instanceof MarketplaceError)) throw error;
    if (error.code === 'API_KEY_WRONG') {
      const text = `the marketplace does not accept it. Copy it again; if it is right, check MARKETPLACE_KEY_HEADER (${settings.keyHeader}).`;
      return [answers, ...keyFinding(apiKey, wrong(keyPiece, text))];
    }
    return [answers, ...keyFinding(apiKey, wrong(keyPiece, sentenceFor(error)))];
  } finally {
    await client.close();
  }
}

const addressPiece = 'MARKETPLACE_BASE_URL';
const keyPiece = 'MARKETPLACE_API_KEY';
const answers = ok(addressPiece, 'the marketplace answers.');

function keyFinding(apiKey: string | undefined, finding: Finding): Finding[] {
  return apiKey === undefined
    ? [note(keyPiece, 'not given: members connect their own accounts with /proofdesk connect.')]
    : [finding];
}
