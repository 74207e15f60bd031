import type { WorkspaceId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { OpenAttachment } from '../../slack/attachments.ts';
import type { CreateDeps } from './deps.ts';
import type { Draft, Problem } from './draft.ts';
import type { NewFiles } from './inputs.ts';
import { readTemplate } from './template.ts';

/** A draft, and what is wrong with its files. */
export interface Taken {
  readonly draft: Draft;
  readonly problems: readonly Problem[];
}

export type Files = ReturnType<typeof createFiles>;

/** The files of a draft: Slack keeps their bytes, the draft only their ids. */
export function createFiles({ messengerOf }: Pick<CreateDeps, 'messengerOf'>) {
  /** Runs what may be refused for a reason of the file; the reason stands at its field. */
  async function trying<T>(field: 'file' | 'csv', run: () => Promise<T>): Promise<T | Problem> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof UserError) return { field, text: error.message };
      throw error;
    }
  }

  return {
    /** Takes over what was newly attached, in place of what was attached before. */
    async take(workspace: WorkspaceId, draft: Draft, files: NewFiles): Promise<Taken> {
      const { attachments } = messengerOf(workspace);
      let taken = draft;
      const problems: Problem[] = [];
      for (const field of ['file', 'csv'] as const) {
        const attached = files[field];
        if (attached === undefined) continue;
        const described = await trying(field, () => attachments.describe(attached));
        taken = { ...without(taken, field), uploads: draft.uploads + 1 };
        if ('text' in described) problems.push(described);
        else taken = { ...taken, [field]: described };
      }
      return { draft: taken, problems };
    },

    /** Reads the beginning of the template, unless that was done before. */
    async read(workspace: WorkspaceId, draft: Draft): Promise<Taken> {
      const { csv } = draft;
      if (csv === undefined || draft.template !== undefined) return { draft, problems: [] };
      const read = await trying('csv', async () => {
        const { stream } = await messengerOf(workspace).attachments.open(csv);
        return readTemplate(stream);
      });
      if ('columns' in read) return { draft: { ...draft, template: read }, problems: [] };
      return { draft: without(draft, 'csv'), problems: [read] };
    },

    /** Begins to download what goes with the campaign. */
    async open(
      workspace: WorkspaceId,
      { file, csv, fields }: Draft,
    ): Promise<{ file?: OpenAttachment; csv?: OpenAttachment } | Problem> {
      const { attachments } = messengerOf(workspace);
      const opened: { file?: OpenAttachment; csv?: OpenAttachment } = {};
      const wanted = { file, csv: fields.description === 'UNIQUE' ? csv : undefined };
      for (const field of ['file', 'csv'] as const) {
        const attached = wanted[field];
        if (attached === undefined) continue;
        const got = await trying(field, () => attachments.open(attached));
        if ('text' in got) {
          closeFiles(opened);
          return got;
        }
        opened[field] = got;
      }
      return opened;
    },
  };
}

/** Lets go of downloads that nobody reads to their end. */
export function closeFiles({ file, csv }: { file?: OpenAttachment; csv?: OpenAttachment }): void {
  file?.stream.destroy();
  csv?.stream.destroy();
}

/** The draft without one of its files. */
export function without(draft: Draft, field: 'file' | 'csv'): Draft {
  const { file, csv, template, ...rest } = draft;
  return field === 'file'
    ? { ...rest, ...(csv ? { csv } : {}), ...(template ? { template } : {}) }
    : { ...rest, ...(file ? { file } : {}) };
}
