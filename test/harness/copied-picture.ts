import type { MarketplaceHandle } from './marketplace.ts';
import { alterations, screenshot } from './picture-corpus.ts';
import { seededRandom } from './text-corpus.ts';

/** Submits the same picture to a campaign as two workers; the second one has resized and re-saved it. */
export async function handInCopies(
  market: MarketplaceHandle,
  campaign: string,
  proofs: readonly [string, string],
  number: number,
): Promise<void> {
  const shot = { app: 2, number, seed: 5 };
  const pictures = [
    ['screenshot.png', 'image/png', await screenshot(shot)],
    ['IMG_2041.jpg', 'image/jpeg', await alterations.resized(shot, seededRandom(number))],
  ] as const;
  for (const [index, [filename, content_type, bytes]] of pictures.entries()) {
    const files = [{ filename, content_type, base64: bytes.toString('base64') }];
    await market.submit({ campaign_id: campaign, proof: [proofs[index] ?? ''], files });
  }
}
