import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import { notice } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import { link } from '../../slack/mrkdwn.ts';
import { decodeDeskStart, deskEntity } from './public.ts';

/** Creates the way to the desk: a page on which people review by keys. Who presses the button gets a link of their own. */
export function createDesk(modules: Modules): Feature {
  const { desk } = modules.people;
  return {
    entityOpened: {
      needs: 'rate',
      async run({ authorize, entity, member, team }) {
        const { account, task: id } = decodeDeskStart(entity);
        const ref = await authorize({ account });
        const task = id && (await modules.tasks.get(ref, id));
        const campaignTitle = task ? await modules.campaigns.titleOf(ref, task.campaign) : '';
        const ticket = await desk.issue({ ...ref, member, team, task: id });
        const shown = task && deskEntity(desk, { ...ref, task, campaignTitle }, ticket);
        if (shown === undefined) throw new UserError('This task can no longer be opened here.');
        return shown;
      },
    },
    clicks: {
      'desk.open': {
        needs: 'rate',
        async run(click) {
          const { member, team, value } = click;
          const { account, task } = decodeDeskStart(value);
          const ref = await click.authorize({ account });
          if (desk.url === undefined)
            throw new UserError(
              'There is no desk here. Proofdesk’s operator can set one up with PUBLIC_URL.',
            );
          const ticket = await desk.issue({ ...ref, member, team, task });
          const opened = link(`${desk.url}/desk#${ticket}`, 'Open the desk');
          const how = 'This link works once, within a minute, and signs you in for 12 hours.';
          await click.answer(notice(`:key: *${opened}*\n${how}`));
        },
      },
    },
  };
}
