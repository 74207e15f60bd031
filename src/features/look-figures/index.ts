import type { ModalView } from '@slack/types';
import {
  drawnByChance,
  figuresByCampaign,
  figuresByReason,
  figuresByReviewer,
  figuresOf,
  figuresOfReviewer,
} from '../../domain/second-look/figures.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import type { Actor, Click, Command, Feature } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';
import { lookFiguresAction, lookFiguresValue } from '../shared/look-figures.ts';
import { figuresModal, type NamedFigures } from './figures.view.ts';

type Deps = Pick<
  FeatureContext,
  'access' | 'campaigns' | 'decisionCounts' | 'messengerOf' | 'now' | 'reasons' | 'secondLooks'
>;

/**
 * Creates the second-look statistics: the team's for everybody who may see the account, a reviewer's own for that
 * reviewer and for managers.
 */
export function createLookFigures(deps: Deps): Feature {
  const { access, campaigns, now } = deps;

  /** Returns the modal with the statistics somebody may see now. @param campaign absent: of all campaigns */
  async function modalFor(someone: Actor, ref: AccountRef, campaign?: CampaignId): Promise<ModalView> {
    const [known, listed, reasons, paces, seesAll] = await Promise.all([
      deps.secondLooks.list(ref, now()),
      campaigns.all(ref),
      deps.reasons.all(ref),
      deps.decisionCounts.members(ref, now()),
      access.has(someone, ref, 'figures'),
    ]);
    const outcomes = known.filter((one) => campaign === undefined || one.campaign === campaign);
    const titles = new Map(listed.map(({ id, title }) => [id, title]));
    const names = new Map(reasons.map(({ id, name }) => [id, name]));
    const own = figuresOfReviewer(outcomes, someone.member);
    const reviewers = seesAll ? figuresByReviewer(outcomes) : [own];
    return figuresModal({
      ...(campaign === undefined ? {} : { campaignTitle: titles.get(campaign) ?? 'A campaign' }),
      all: figuresOf(outcomes),
      drawn: figuresOf(drawnByChance(outcomes)),
      campaigns:
        campaign === undefined
          ? figuresByCampaign(outcomes).map(
              ({ key, ...figures }): NamedFigures => ({ ...figures, name: titles.get(key) ?? 'A campaign' }),
            )
          : [],
      reasons: figuresByReason(outcomes).map(
        ({ key, ...figures }): NamedFigures => ({
          ...figures,
          name: names.get(key) ?? 'A reason that was removed',
        }),
      ),
      reviewers: reviewers
        .filter(({ differing, given }) => differing.of + given > 0)
        .map((figures) => {
          const pace = paces.get(figures.member);
          return { ...figures, ...(pace === undefined ? {} : { pace }) };
        }),
      viewer: someone.member,
    });
  }

  async function open(click: Click): Promise<void> {
    const { campaign } = lookFiguresValue.decode(click.value);
    const view = await modalFor(click, await click.authorize(), campaign);
    const messenger = deps.messengerOf(click.workspace);
    // The home tab is a view without a name.
    const isInModal = click.view !== undefined && click.view.callbackId !== '';
    if (isInModal) await messenger.pushModal(click.triggerId, view);
    else await messenger.openModal(click.triggerId, view);
  }

  async function command(asked: Command): Promise<void> {
    const view = await modalFor(asked, await asked.authorize());
    await deps.messengerOf(asked.workspace).openModal(asked.triggerId, view);
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'second-looks',
        usage: '',
        help: 'Shows how often second looks differed from the first verdicts.',
        needs: 'see',
        also: ['figures'],
        run: command,
      },
    ],
    clicks: { [lookFiguresAction]: { needs: 'see', also: ['figures'], run: open } },
  };
}
