import { z } from 'zod';
import { AccountId, TaskId, WorkspaceId } from '../domain/terms.ts';
import { messageKinds } from './catalogue.ts';

/** The subject of a job. A job with an unreadable payload belongs to no account. */
export const JobSubject = z
  .object({
    workspace: WorkspaceId,
    account: AccountId,
    task: TaskId.exactOptional(),
    /** The record whose message it shows. */
    kind: z.enum(messageKinds).exactOptional(),
    id: z.string().exactOptional(),
  })
  .catch({ workspace: WorkspaceId.parse(''), account: AccountId.parse('') });

/** The list of repeatedly failing work that is retried, by job name and payload; see src/store/failing-jobs.ts. */
export interface FailingJobs {
  record(job: string, name: string, payload: unknown, reason: string): Promise<number | undefined>;
  remove(name: string, payload: unknown): Promise<void>;
  list(atLeast: number): Promise<
    readonly {
      readonly name: string;
      readonly payload: unknown;
      readonly since: number;
      readonly reason: string;
    }[]
  >;
}
