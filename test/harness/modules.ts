import type { Redis } from 'ioredis';
import type { Config } from '../../src/app/config.ts';
import { noPictures } from '../../src/features/evidence/picture-reader.ts';
import {
  createModules,
  defaultIntervals,
  type ModuleParts,
  type Modules,
  noFaults,
} from '../../src/kit/modules.ts';
import { createLogger } from '../../src/logger.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import { createAuditWriter } from '../../src/store/audit.ts';
import { createSubscriptions } from '../../src/store/channels.ts';
import { createVault } from '../../src/store/encryption.ts';
import { createAccountLeases, defaultTimeouts } from '../../src/store/leases.ts';
import { createPauses, defaultRateLimits } from '../../src/store/pauses.ts';
import { asId } from './ids.ts';

/** A stub, whose functions do nothing, for what a test does not use. */
export const idle: never = new Proxy(() => idle, {
  get: (_, name) => (name === 'then' ? undefined : idle),
}) as never;

/** Returns what the modules are made of on this Redis, with stubs for Slack, the marketplace and the queue. */
export function moduleParts(redis: Redis, given: Partial<ModuleParts> = {}): ModuleParts {
  const { now = Date.now, logger = createLogger('silent', []) } = given;
  const auditWriter = createAuditWriter({ now });
  return {
    config: {
      accountOwners: [],
      auditDays: 730,
      openCards: 20,
      pollSeconds: 30,
      undoSeconds: 10,
      retentionDays: 90,
      marketplace: { baseUrl: '', keyHeader: '', excludeMark: '-', timeZone: 'UTC' },
    } as Partial<Config> as Config,
    redis,
    auditWriter,
    accounts: createAccounts(redis, createVault([Buffer.alloc(32, 7)]), logger, auditWriter),
    pauses: createPauses(redis, { now, firstMs: 1_000, probeMs: 1_000 }),
    subscriptions: createSubscriptions(redis, logger, auditWriter),
    leases: createAccountLeases(redis),
    jobs: { add: async () => undefined, addAll: async () => undefined } as never,
    marketplaces: idle,
    messengerOf: idle,
    rateLimits: defaultRateLimits,
    intervals: defaultIntervals,
    timeouts: defaultTimeouts,
    faults: noFaults,
    pictureReader: noPictures,
    botUserOf: async () => asId('U0BOT'),
    now,
    slackNow: now,
    logger,
    ...given,
  };
}

/** What a test replaces in the modules. */
type Replaced = { readonly [Name in keyof Modules]?: object };

/** Returns the modules on this Redis, with what is replaced in them. */
export function testModules(
  redis: Redis,
  replaced: Replaced = {},
  parts: Partial<ModuleParts> = {},
): Modules {
  const modules: Modules = createModules(moduleParts(redis, parts));
  const entries = Object.entries(modules).map(([name, module]) => [
    name,
    { ...module, ...replaced[name as keyof Modules] },
  ]);
  return Object.fromEntries(entries) as Modules;
}

/** Returns only these parts as modules: for code that uses nothing else. */
export const onlyModules = (some: Replaced) => some as unknown as Modules;
