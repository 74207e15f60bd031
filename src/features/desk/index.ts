import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';
import { linkMessage, noDesk } from './desk.view.ts';
import { decodeDeskStart } from './public.ts';

/** Creates the way to the desk: a page on which people review by keys. Who presses the button gets a link of their own. */
export function createDesk({ people }: Modules): Feature {
  return {
    clicks: {
      'desk.open': {
        needs: 'rate',
        async run(click) {
          const { member, team, value } = click;
          const { account, task } = decodeDeskStart(value);
          const ref = await click.authorize(account === undefined ? {} : { account });
          const { url } = people.desk;
          if (url === undefined) throw new UserError(noDesk);
          const ticket = await people.desk.issue({ ...ref, member, team }, task);
          await click.answer(linkMessage(`${url}/desk#${ticket}`));
        },
      },
    },
  };
}
