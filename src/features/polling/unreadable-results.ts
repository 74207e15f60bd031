import { MarketplaceError, TransportError } from '../../marketplace/index.ts';
import type { Shortcoming } from './incomplete-reads.ts';

/**
 * Returns the problem of results that were wholly unreadable although the marketplace answers; undefined if it does not
 * answer, which is not specific to this campaign.
 */
export function unreadableResults(error: unknown): Shortcoming | undefined {
  const wrong = wrongWith(error);
  return wrong === undefined
    ? undefined
    : { wrong, listed: '', read: '', isCountsOnly: false, hasProgressed: false };
}

function wrongWith(error: unknown): string | undefined {
  if (error instanceof MarketplaceError && !error.isAuthentication)
    return `are refused by the marketplace (${error.text})`;
  if (error instanceof TransportError && error.kind === 'unreadable')
    return 'are not what the marketplace’s description says';
  return undefined;
}
