import type { MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Modules } from '../../kit/modules.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { slackPause } from '../../store/pauses.ts';

/** Number of home tabs one job publishes; the next job continues. */
const atOnce = 25;

const method = 'views.publish';

/** Creates the job that publishes changed home tabs, within Slack's limit. */
export function createRefresh({
  slack,
  log,
  clock,
  people,
  marketplace,
  publish,
}: Modules & {
  readonly publish: (workspace: WorkspaceId, member: MemberId, due: number) => Promise<void>;
}) {
  async function publishOne(workspace: WorkspaceId, member: MemberId, due: number): Promise<void> {
    try {
      await publish(workspace, member, due);
    } catch (error) {
      if (error instanceof SlackError && error.kind === 'rate-limited')
        return slack.rateLimiter.blockFor({ workspace, method, isBackground: true }, error.retryAfterMs);
      // Opening the tab publishes it again; the remaining due tabs must not wait for this one.
      await people.openedHomes.published(workspace, member, clock.now(), due);
      if (!(error instanceof SlackError)) throw error;
      log.warn({ err: error, member }, 'home tab not updated');
    }
  }

  return {
    async run({ workspace }: Payload<'refresh-homes'>): Promise<void> {
      for (const [member, since] of await people.openedHomes.due(workspace, clock.now(), atOnce)) {
        const waitMs = await slack.rateLimiter.acquire({ workspace, method, isBackground: true });
        if (waitMs > 0) return slack.homes.later(workspace, clock.now() + waitMs);
        const pause = await marketplace.pauses.enter(workspace, [slackPause]);
        if (pause.waitMs > 0) return slack.homes.later(workspace, clock.now() + pause.waitMs);
        await publishOne(workspace, member, since);
        await pause.release();
      }
      await slack.homes.resume(workspace);
    },
  };
}
