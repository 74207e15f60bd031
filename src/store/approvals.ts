import type { Redis } from 'ioredis';
import { z } from 'zod';
import { ApprovalRequest, subjectOf } from '../domain/approval.ts';
import type { AccountRef } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const approvalRequestCodec = createCodec('approval-request', ApprovalRequest);

export type Approvals = ReturnType<typeof createApprovals>;

/** Creates the store of approval requests that are waiting or being carried out: one per subject. */
export function createApprovals(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'approvals');
  const stored = createStoredHash(redis, { codec: approvalRequestCodec, field: z.string() }, logger);

  return {
    async get(ref: AccountRef, subject: string): Promise<ApprovalRequest | undefined> {
      return stored.get(key(ref), subject);
    },

    /** Returns all requests of an account, oldest first. */
    async all(ref: AccountRef): Promise<ApprovalRequest[]> {
      const requests = [...(await stored.all(key(ref))).values()];
      return requests.sort((a, b) => a.at - b.at || a.id.localeCompare(b.id));
    },

    /** Adds a request. Resolves to false when there is one about the same subject. */
    async add(ref: AccountRef, request: ApprovalRequest, step: AuditStep): Promise<boolean> {
      return stored.replace(key(ref), subjectOf(request.act), undefined, request, step);
    },

    /**
     * Replaces `before`, as it was read, by `after`; undefined removes it. Resolves to false when it has changed since.
     * @param step its audit entry
     */
    async swap(
      ref: AccountRef,
      before: ApprovalRequest,
      after: ApprovalRequest | undefined,
      step?: AuditStep,
    ): Promise<boolean> {
      return stored.replace(key(ref), subjectOf(before.act), before, after, step);
    },
  };
}
