import { WorkingHours } from '../../domain/working-hours.ts';
import type { Actor, Feature, Submission, SubmissionAnswer, Unchecked } from '../../slack/feature.ts';
import { chosen } from '../../slack/form-values.ts';
import type { FeatureContext } from '../shared/context.ts';
import { hoursAction, hoursForm, hoursModal, hoursSaved, untilTooEarly } from './hours.view.ts';

type Deps = Pick<FeatureContext, 'memberSettings' | 'messengerOf' | 'slackPeople'>;

/** Creates the setting of a member's reminder hours. */
export function createHours({ memberSettings, messengerOf, slackPeople }: Deps): Feature {
  async function open({
    workspace,
    member,
    triggerId,
  }: Pick<Actor, 'workspace' | 'member'> & { readonly triggerId: string }): Promise<void> {
    const [hours, person] = await Promise.all([
      memberSettings.hours(workspace, member),
      slackPeople.person(workspace, member, { isFresh: false }),
    ]);
    await messengerOf(workspace).openModal(triggerId, hoursModal(hours, person?.zone));
  }

  async function save({ workspace, member, values }: Unchecked<Submission>): Promise<SubmissionAnswer> {
    const hours = WorkingHours.parse({
      days: chosen(values, 'days'),
      from: Number(chosen(values, 'from')),
      until: Number(chosen(values, 'until')),
    });
    if (hours.until <= hours.from) return { errors: { until: untilTooEarly } };
    await memberSettings.setHours(workspace, member, hours);
    return { update: hoursSaved(hours) };
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'hours',
        usage: '',
        help: 'Says when you are reminded of the tasks that you have, or turns that off.',
        needs: 'member',
        run: open,
      },
    ],
    clicks: { [hoursAction]: { needs: 'member', run: open } },
    submissions: { [hoursForm]: { needs: 'member', run: save } },
  };
}
