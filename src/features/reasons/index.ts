import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { NewAuditEntry } from '../../domain/audit.ts';
import {
  longestFilled,
  maxComment,
  type SavedReason,
  type StoredReason,
  unknownPlaceholders,
} from '../../domain/reason.ts';
import { type AccountRef, CampaignId, verdicts } from '../../domain/terms.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onForm, onView, type ViewClick } from '../../kit/on.ts';
import type { Actor, Feature } from '../../slack/feature.ts';
import { chosen, typed, type Values } from '../../slack/form-values.ts';
import { maxReasons } from '../../store/reasons.ts';
import {
  changedMeanwhile,
  formState,
  listState,
  nameMissing,
  outcomeText,
  reasonFormModal,
  reasonGone,
  reasonsModal,
  textMissing,
  tooLongFilled,
  tooMany,
  unknownPlaceholder,
} from './reasons.view.ts';

type InModal = ViewClick<object>;

/** Creates the saved reasons of an account in Home: the list, and the form that adds, changes and removes them. */
export function createReasonsFeature(deps: Modules): Feature {
  const { people, audit, campaigns, slack, clock } = deps;

  async function titleOf(ref: AccountRef, { campaign }: Pick<SavedReason, 'campaign'>) {
    return campaign === undefined ? {} : { campaignTitle: await campaigns.titleOf(ref, campaign) };
  }

  async function listOf(
    ref: AccountRef,
    { workspace, team, member }: Pick<Actor, 'workspace' | 'team' | 'member'>,
    outcome?: string,
  ) {
    const [all, mayChange] = await Promise.all([
      campaigns.reasons.all(ref),
      people.access.has({ workspace, team, member }, ref, 'reasons'),
    ]);
    const titled = all.map(async (reason) => ({ ...reason, ...(await titleOf(ref, reason)) }));
    return reasonsModal({ account: ref.account, reasons: await Promise.all(titled), mayChange, outcome });
  }

  const show = ({ workspace, view }: InModal, shown: ModalView) =>
    slack.messengerOf(workspace).updateModal(view.id, shown);

  const showList = async (click: InModal, outcome?: string) =>
    show(click, await listOf(click.ref, click, outcome));

  async function openForm(click: InModal, id?: string): Promise<unknown> {
    const { ref } = click;
    const reason = id === undefined ? undefined : await campaigns.reasons.get(ref, id);
    if (id !== undefined && reason === undefined) return showList(click, reasonGone);
    const state = { account: ref.account, id: id ?? randomUUID(), isNew: id === undefined };
    const about = reason === undefined ? {} : { reason, ...(await titleOf(ref, reason)) };
    return show(click, reasonFormModal({ state, ...about }));
  }

  const remove = onView(formState, { needs: 'reasons', once: true }, async (click) => {
    const { ref, member: by, state } = click;
    const reason = await campaigns.reasons.get(ref, state.id);
    const entry = { what: 'remove reason', ...doneBy(click), ...changeOf(reason, undefined) } as const;
    const isRemoved =
      reason !== undefined &&
      (await campaigns.reasons.remove(ref, reason, { by, at: clock.now() }, audit.step(ref, entry)));
    await showList(click, isRemoved ? outcomeText('removed', reason.name) : reasonGone);
  });

  const save = onForm(formState, 'reasons', async (submission) => {
    const { ref, state: form } = submission;
    const errors = errorsIn(submission.values);
    if (Object.keys(errors).length > 0) return { errors };
    const after = reasonIn(submission.values, { by: submission.member, at: clock.now() });
    const before = form.isNew ? undefined : await campaigns.reasons.get(ref, form.id);
    const what = form.isNew ? 'add reason' : 'change reason';
    const step = audit.step(ref, { what, ...doneBy(submission), ...changeOf(before, after) });
    if (form.isNew) {
      if (!(await campaigns.reasons.add(ref, form.id, after, step)))
        return { errors: { name: tooMany(maxReasons) } };
    } else if (before === undefined || !(await campaigns.reasons.change(ref, before, after, step))) {
      return { errors: { text: changedMeanwhile } };
    }
    const outcome = outcomeText(form.isNew ? 'added' : 'changed', after.name);
    return { update: await listOf(ref, submission, outcome) };
  });

  return {
    clicks: {
      'reasons.open': {
        needs: 'rate',
        async run(click) {
          const list = await listOf(await click.authorize(), click);
          await click.open(list);
        },
      },
      'reasons.add': onView(listState, 'reasons', (click) => openForm(click)),
      'reasons.change': onView(listState, 'reasons', (click) => openForm(click, click.value)),
      'reasons.remove': remove,
      'reasons.back': onView(formState, 'rate', (click) => showList(click)),
    },
    submissions: { 'reasons.form': save },
  };
}

/** Returns the errors of the form, by input. */
function errorsIn(values: Values): Record<string, string> {
  const [name, text] = [typed(values, 'name'), typed(values, 'text')];
  const unknown = unknownPlaceholders(text);
  const longest = longestFilled(text);
  const problem =
    text === ''
      ? textMissing
      : unknown.length > 0
        ? unknownPlaceholder(unknown)
        : longest > maxComment
          ? tooLongFilled(longest, maxComment)
          : undefined;
  return {
    ...(name === '' ? { name: nameMissing } : {}),
    ...(problem === undefined ? {} : { text: problem }),
  };
}

function reasonIn(values: Values, by: Pick<StoredReason, 'by' | 'at'>): StoredReason {
  const campaign = chosen(values, 'campaign');
  return {
    verdict: z.enum(verdicts).parse(chosen(values, 'verdict')),
    ...(campaign === undefined ? {} : { campaign: CampaignId.parse(campaign) }),
    name: typed(values, 'name'),
    text: typed(values, 'text'),
    ...by,
  };
}

type Described = Pick<SavedReason, 'verdict' | 'campaign' | 'name' | 'text'>;

/** Returns the audit fields of a change: the reason before and after. */
function changeOf(
  before: Described | undefined,
  after: Described | undefined,
): Pick<NewAuditEntry, 'before' | 'after' | 'campaign'> {
  const campaign = (after ?? before)?.campaign;
  const textOf = ({ verdict, name, text }: Described) => `${verdict} · ${name}: ${text}`;
  return {
    ...(before === undefined ? {} : { before: textOf(before) }),
    ...(after === undefined ? {} : { after: textOf(after) }),
    ...(campaign === undefined ? {} : { campaign }),
  };
}
