import type { WorkspaceId } from '../../../domain/terms.ts';
import { UserError } from '../../../errors.ts';
import type { OpenAttachment } from '../../../slack/attachments.ts';
import { attached, type Values as InputValues } from '../../../slack/form-values.ts';
import type { Modules } from '../../modules.ts';
import { type Draft, fileInputId, type Problem } from './draft.ts';

export type OpenFiles = Readonly<Record<string, OpenAttachment>>;

/** Runs an action that a file may cause to fail. Returns such a failure as a problem of the file's field. */
export async function tryFile<T>(field: string, run: () => Promise<T>): Promise<T | Problem> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UserError) return { field, text: error.message };
    throw error;
  }
}

/** Creates access to the files of drafts. Slack stores their bytes; a draft holds only what is needed to fetch them. */
export function createDraftFiles({ slack }: Modules) {
  return {
    /** Accepts the files attached in the open page, replacing earlier ones. */
    async attach<D extends Draft>(
      workspace: WorkspaceId,
      draft: D,
      values: InputValues,
      names: readonly string[],
    ): Promise<{ readonly draft: D; readonly problems: readonly Problem[] }> {
      let next = draft;
      const problems: Problem[] = [];
      for (const name of names) {
        const [file] = attached(values, fileInputId(draft, name));
        if (file === undefined) continue;
        const described = await tryFile(name, () => slack.messengerOf(workspace).attachments.describe(file));
        next = { ...withoutFile(next, name), uploads: draft.uploads + 1 };
        if ('text' in described) problems.push(described);
        else next = { ...next, files: { ...next.files, [name]: described } };
      }
      return { draft: next, problems };
    },

    /** Starts downloading the named files. Returns the first problem if one is unavailable. */
    async open(
      workspace: WorkspaceId,
      { files }: Draft,
      names: readonly string[],
    ): Promise<{ readonly files: OpenFiles } | Problem> {
      const opened: Record<string, OpenAttachment> = {};
      for (const name of names) {
        const file = files[name];
        if (file === undefined) continue;
        const download = await tryFile(name, () => slack.messengerOf(workspace).attachments.open(file));
        if ('text' in download) {
          closeFiles(opened);
          return download;
        }
        opened[name] = download;
      }
      return { files: opened };
    },
  };
}

/** Closes downloads that were not read to the end. */
export function closeFiles(files: OpenFiles): void {
  for (const { stream } of Object.values(files)) stream.destroy();
}

/** Returns the draft without one of its files. */
export function withoutFile<D extends Draft>(draft: D, name: string): D {
  const { [name]: _, ...files } = draft.files;
  return { ...draft, files };
}
