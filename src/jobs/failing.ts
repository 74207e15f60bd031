import { z } from 'zod';
import { AccountId, MessageId, TaskId, WorkspaceId } from '../domain/terms.ts';

/** What a job is about. One whose payload cannot be read belongs to no account. */
export const JobSubject = z
  .object({
    workspace: WorkspaceId,
    account: AccountId,
    task: TaskId.exactOptional(),
    message: MessageId.exactOptional(),
  })
  .catch({ workspace: WorkspaceId.parse(''), account: AccountId.parse('') });

/** The list of work that keeps failing and is tried again, by job name and payload; see src/store/failing-jobs.ts. */
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
