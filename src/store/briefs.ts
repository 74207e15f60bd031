import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Brief, CreatedBrief, ListedBrief } from '../domain/brief.ts';
import { chunksOf } from '../domain/group.ts';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** A campaign's brief as listed. */
export interface BriefOfCampaign extends ListedBrief {
  readonly id: CampaignId;
}

/** The values of one row of a template, in the order of the brief's columns. */
const TemplateRow = z.array(z.string()).readonly();

export const briefCodec = createCodec('brief', ListedBrief);
export const createdBriefCodec = createCodec('created-brief', CreatedBrief);
export const templateRowCodec = createCodec('template-row', TemplateRow);

/** How long rows wait for their campaign to be created (s). */
const waitingRowsSeconds = 2 * 86_400;

/** How many fields are written at once. */
const fieldsAtOnce = 2_000;

export type Briefs = ReturnType<typeof createBriefs>;

/**
 * Creates the store of briefs, the instructions of campaigns: as the marketplace lists them, and as sent for campaigns
 * created here, with the rows of their templates.
 */
export function createBriefs(redis: Redis, logger?: ErrorLogger) {
  const listed = createStoredHash(redis, { codec: briefCodec, field: CampaignId }, logger);
  const created = createStoredHash(redis, { codec: createdBriefCodec, field: CampaignId }, logger);
  const rows = createStoredHash(redis, { codec: templateRowCodec, field: z.string() }, logger);
  const listedKey = (ref: AccountRef) => accountKey(ref, 'briefs');
  const digestsKey = (ref: AccountRef) => accountKey(ref, 'briefs', 'digests');
  const createdKey = (ref: AccountRef) => accountKey(ref, 'briefs', 'created');
  const rowsKey = (ref: AccountRef, campaign: CampaignId) => accountKey(ref, 'briefs', 'rows', campaign);
  const waitingRowsKey = (ref: AccountRef, draft: string) =>
    accountKey(ref, 'briefs', 'rows-of-draft', draft);

  return {
    /**
     * Stores the listed briefs. Writes only those that differ, and reads only digests: the texts may be long, and every poll
     * has all of them. The brief sent at the creation of a campaign no longer counts once its texts change.
     */
    async store(ref: AccountRef, campaigns: readonly BriefOfCampaign[]): Promise<void> {
      const had = await redis.hgetall(digestsKey(ref));
      const changed = campaigns.flatMap(({ id, work, proof }) => {
        const text = briefCodec.encode({ work, proof });
        const digest = digestOf(text);
        return had[id] === digest ? [] : [{ id, text, digest }];
      });
      if (changed.length === 0) return;
      const edited = changed.flatMap(({ id }) => (had[id] === undefined ? [] : [id]));
      const step = redis
        .multi()
        .hset(listedKey(ref), ...changed.flatMap(({ id, text }) => [id, text]))
        .hset(digestsKey(ref), ...changed.flatMap(({ id, digest }) => [id, digest]));
      if (edited.length > 0)
        step.hdel(createdKey(ref), ...edited).unlink(...edited.map((id) => rowsKey(ref, id)));
      await step.exec();
    },

    /** Returns a campaign's brief as far as it is known. */
    async get(ref: AccountRef, campaign: CampaignId): Promise<Brief> {
      const [own, asListed] = await Promise.all([
        created.get(createdKey(ref), campaign),
        listed.get(listedKey(ref), campaign),
      ]);
      return { ...(asListed ? { listed: asListed } : {}), ...(own ? { created: own } : {}) };
    },

    /** Stores the brief sent for a newly created campaign, with the rows that were stored for its draft. */
    async storeCreated(
      ref: AccountRef,
      campaign: CampaignId,
      brief: CreatedBrief,
      draft: string,
    ): Promise<void> {
      const waiting = waitingRowsKey(ref, draft);
      const step = redis.multi().hset(createdKey(ref), campaign, createdBriefCodec.encode(brief));
      if (brief.columns && (await redis.exists(waiting)))
        step.rename(waiting, rowsKey(ref, campaign)).persist(rowsKey(ref, campaign));
      await step.exec();
    },

    /** Stores template rows of a campaign that may be created, by number, replacing earlier ones. */
    async storeDraftRows(
      ref: AccountRef,
      draft: string,
      values: ReadonlyMap<string, readonly string[]>,
    ): Promise<void> {
      const key = waitingRowsKey(ref, draft);
      const step = redis.multi().unlink(key);
      for (const some of chunksOf([...values], fieldsAtOnce))
        step.hset(key, ...some.flatMap(([row, texts]) => [row, templateRowCodec.encode(texts)]));
      await step.expire(key, waitingRowsSeconds).exec();
    },

    /** Returns the values of a row, in the order of the brief's columns; undefined when unknown. */
    async row(ref: AccountRef, campaign: CampaignId, row: string): Promise<readonly string[] | undefined> {
      return rows.get(rowsKey(ref, campaign), row);
    },

    /** Removes the rows of a campaign's template, all of whose tasks were decided long ago. */
    async removeRows(ref: AccountRef, campaign: CampaignId): Promise<void> {
      await redis.unlink(rowsKey(ref, campaign));
    },
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
