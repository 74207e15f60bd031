import type { KnownBlock } from '@slack/types';
import { SlackError } from './slack-error.ts';

/** Returns whether Slack has refused to show a file. */
export type IsRefused = (file: string) => boolean;

/**
 * Sends a message or view. Slack refuses the whole for one picture that it cannot show (yet): then it is sent again without
 * the pictures that Slack names, or without all if it names none. Returns the answer, and whether any was left out.
 * @param make builds it without the refused pictures
 */
export async function withoutRefusedPictures<Shown extends { readonly blocks: readonly object[] }, Answer>(
  make: (isRefused: IsRefused) => Shown | Promise<Shown>,
  send: (shown: Shown) => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly isAnyLeftOut: boolean }> {
  const refused = new Set<string>();
  for (;;) {
    const shown = await make((file) => refused.has(file));
    try {
      return { answer: await send(shown), isAnyLeftOut: refused.size > 0 };
    } catch (error) {
      const more = refusedFiles(shown.blocks as readonly KnownBlock[], error).filter(
        (file) => !refused.has(file),
      );
      if (more.length === 0) throw error;
      for (const file of more) refused.add(file);
    }
  }
}

/** Returns the files of the image blocks for which Slack refused the blocks. */
function refusedFiles(blocks: readonly KnownBlock[], error: unknown): string[] {
  if (!(error instanceof SlackError) || !/^invalid_(arguments|blocks)$/.test(error.code)) return [];
  const named = new Set(
    error.details.flatMap((detail) => {
      const index = /\[json-pointer:(?:\/view)?\/blocks\/(\d+)/.exec(detail)?.[1];
      return index === undefined ? [] : [Number(index)];
    }),
  );
  return blocks.flatMap((block, index) => {
    const file = fileOfBlock(block);
    return file !== undefined && (named.size === 0 || named.has(index)) ? file : [];
  });
}

/** Returns the file that an image block shows. */
export function fileOfBlock(block: KnownBlock): string | undefined {
  if (block.type !== 'image' || !('slack_file' in block)) return undefined;
  return 'id' in block.slack_file ? block.slack_file.id : undefined;
}
