import { MarketplaceError, TransportError } from '../../marketplace/index.ts';
import type { Shortcoming } from './incomplete-reads.ts';

/**
 * Returns what is wrong with results of which nothing could be read, though the marketplace answers; undefined when it
 * does not answer, which is not about this campaign.
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
