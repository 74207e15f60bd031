import type { SecondLookSettings } from '../../src/domain/second-look/settings.ts';
import type { WorkspaceId } from '../../src/domain/terms.ts';
import { createLookDraw } from '../../src/store/second-looks.ts';
import { asId } from '../harness/ids.ts';
import type { SeenCard } from './channel-view.ts';
import { workspace } from './places.ts';

/** Which decisions wait for a second look, in {@link lookCampaigns}. */
export const lookSettings: SecondLookSettings = { share: 20, bonusAbove: '0.06', bulkNok: true };
/** A bonus that waits for a second look; only owners give it without an approval. */
export const bonusToLookAt = '0.07';
/** How many days a campaign's tasks may wait: normally, and so few that nothing waits for a second look anymore. */
export const [daysToRate, daysWithoutLooks] = [1, 0.08] as const;

/** Returns the campaigns with second looks, out of the given number of campaigns of the shared account. */
export function lookCampaigns(shared: number): string[] {
  return Array.from({ length: Math.max(1, Math.floor(shared / 2)) }, (_, index) => `c${index + 2}`);
}

const draw = createLookDraw();

/** Returns whether every decision on a card's task waits, if its campaign has second looks. */
export function isDrawn({ account, task, round }: SeenCard): boolean {
  const ref = { workspace: asId<WorkspaceId>(workspace), account: asId<never>(account) };
  return draw(ref, asId(task), round) < lookSettings.share / 100;
}

/** Returns whether somebody may give a second look on a card that waits for one: nobody may look twice. */
export function mayLookOn({ look }: SeenCard, user: string): boolean {
  return look !== undefined && look.first !== user && look.second !== user;
}
