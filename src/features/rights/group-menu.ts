import type { PlainTextOption } from '@slack/types';
import type { WorkspaceId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { limits, option } from '../../slack/blocks.ts';
import type { Typing } from '../../slack/feature.ts';
import type { UserGroup } from '../../slack/members.ts';
import { SlackError } from '../../slack/slack-error.ts';

/** How long the list is kept (ms): Slack is asked 20 times a minute at most, and people type faster. */
const keptMs = 60_000;

/** Creates the search for user groups by their id, name or handle. */
export function createGroupMenu({ log, slack, clock }: Modules) {
  const lists = new Map<WorkspaceId, { readonly at: number; readonly groups: readonly UserGroup[] }>();

  async function groupsOf(workspace: WorkspaceId): Promise<readonly UserGroup[]> {
    const known = lists.get(workspace);
    if (known !== undefined && clock.now() - known.at < keptMs) return known.groups;
    const groups = await slack.messengerOf(workspace).groups();
    lists.set(workspace, { at: clock.now(), groups });
    return groups;
  }

  /** Returns the user groups that match typed text; none without the scope, or while Slack does not answer. */
  return async ({ authorize, text, workspace }: Typing): Promise<PlainTextOption[]> => {
    await authorize();
    const wanted = text.trim().replace(/^@/u, '').toLowerCase();
    try {
      return (await groupsOf(workspace))
        .filter((group) =>
          [group.id, group.name, group.handle].some((word) => word.toLowerCase().includes(wanted)),
        )
        .slice(0, limits.options)
        .map(({ id, name, handle }) => option(name || handle || id, id));
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      log.warn({ err: error }, 'user groups not listed');
      return [];
    }
  };
}
