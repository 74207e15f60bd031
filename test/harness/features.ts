import { defaultIntervals, type FeatureParts } from '../../src/feature-context.ts';
import { noPictures } from '../../src/features/shared/pictures/reader.ts';
import { createFeatures } from '../../src/features.ts';
import { asId } from './ids.ts';

/** A stub, whose functions do nothing, for everything that features only use later. */
const idle: never = new Proxy(() => idle, {
  get: (_, name) => (name === 'then' ? undefined : idle),
}) as never;

/** Returns all features as the bot assembles them, for tests that inspect them without running them. */
export function idleFeatures() {
  const ground: FeatureParts = {
    config: {
      accountOwners: [],
      auditDays: 730,
      openCards: 20,
      pollSeconds: 30,
      undoSeconds: 10,
      retentionDays: 90,
      marketplace: {
        baseUrl: 'http://localhost:4000',
        keyHeader: 'ServiceApiKey',
        excludeMark: '-',
        timeZone: 'UTC',
      },
    },
    redis: idle,
    auditWriter: idle,
    accounts: idle,
    pauses: idle,
    subscriptions: idle,
    leases: idle,
    jobs: idle,
    marketplaces: idle,
    messengerOf: idle,
    rateLimits: idle,
    intervals: defaultIntervals,
    timeouts: idle,
    faults: idle,
    pictureReader: noPictures,
    botUserId: asId('U0BOT'),
    now: idle,
    slackNow: idle,
    logger: idle,
  };
  return createFeatures(ground);
}
