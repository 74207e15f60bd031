import { randomUUID } from 'node:crypto';
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
import { pageOf } from '../../slack/blocks.ts';
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
  reasonsModal,
  reasonsPerPage,
  textMissing,
  tooLongFilled,
  tooMany,
  unknownPlaceholder,
} from './reasons.view.ts';

type InModal<State = object> = ViewClick<State>;
type ListState = ReturnType<typeof listState.decode>;

/** Creates the saved reasons of an account in Home: the list, and the form that adds, changes and removes them. */
export function createReasonsFeature(deps: Modules): Feature {
  const { people, audit, campaigns, slack, clock } = deps;

  async function titleOf(ref: AccountRef, { campaign }: Pick<SavedReason, 'campaign'>) {
    return campaign === undefined ? {} : { campaignTitle: await campaigns.titleOf(ref, campaign) };
  }

  async function listOf(
    ref: AccountRef,
    { workspace, team, member }: Pick<Actor, 'workspace' | 'team' | 'member'>,
    page: number,
    outcome?: string,
  ) {
    const [all, mayChange] = await Promise.all([
      campaigns.reasons.all(ref),
      people.access.has({ workspace, team, member }, ref, 'reasons'),
    ]);
    const { here, ...at } = pageOf(all, page, reasonsPerPage);
    const titled = here.map(async (reason) => ({ ...reason, ...(await titleOf(ref, reason)) }));
    const reasons = await Promise.all(titled);
    return reasonsModal({ account: ref.account, reasons, ...at, mayChange, outcome });
  }

  /** Shows a page of the list in the modal. */
  async function showList(click: InModal, page: number, outcome?: string) {
    const list = await listOf(click.ref, click, page, outcome);
    await slack.messengerOf(click.workspace).updateModal(click.view.id, list);
  }

  async function openForm(click: InModal<ListState>, id?: string): Promise<void> {
    const {
      ref,
      view,
      workspace,
      state: { account, page },
    } = click;
    const reason = id === undefined ? undefined : await campaigns.reasons.get(ref, id);
    if (id !== undefined && reason === undefined) return showList(click, page, outcomeText('gone', ''));
    const state = { account, page, id: id ?? randomUUID(), isNew: id === undefined, at: reason?.at };
    const about = reason === undefined ? {} : { reason, ...(await titleOf(ref, reason)) };
    await slack.messengerOf(workspace).updateModal(view.id, reasonFormModal({ state, ...about }));
  }

  const remove = onView(formState, { needs: 'reasons', once: true }, async (click) => {
    const { ref, member: by, state: form } = click;
    const reason = await campaigns.reasons.get(ref, form.id);
    const entry: NewAuditEntry = {
      what: 'remove reason',
      ...doneBy(click),
      ...changeOf(reason, undefined),
    };
    const isRemoved =
      reason !== undefined &&
      reason.at === form.at &&
      (await campaigns.reasons.remove(ref, reason, { by, at: clock.now() }, audit.step(ref, entry)));
    await showList(
      click,
      form.page,
      isRemoved ? outcomeText('removed', reason.name) : outcomeText('gone', ''),
    );
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
    } else {
      const isAsOpened = before !== undefined && before.at === form.at;
      const isChanged = isAsOpened && (await campaigns.reasons.change(ref, before, after, step));
      // Delivered twice: the reason already has the wanted text.
      if (!isChanged && !isSameText(before, after)) return { errors: { text: changedMeanwhile } };
    }
    const outcome = outcomeText(form.isNew ? 'added' : 'changed', after.name);
    return { update: await listOf(ref, submission, form.page, outcome) };
  });

  const turn = onView(listState, 'rate', (click) => showList(click, Number(click.value) || 0));

  return {
    clicks: {
      'reasons.open': {
        needs: 'rate',
        async run(click) {
          const list = await listOf(await click.authorize(), click, 0);
          await click.open(list);
        },
      },
      'reasons.previous': turn,
      'reasons.next': turn,
      'reasons.add': onView(listState, 'reasons', (click) => openForm(click)),
      'reasons.change': onView(listState, 'reasons', (click) => openForm(click, click.value)),
      'reasons.remove': remove,
      'reasons.back': onView(formState, 'rate', (click) => showList(click, click.state.page)),
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
    verdict: verdicts.find((one) => one === chosen(values, 'verdict')) ?? 'REVISE',
    ...(campaign === undefined ? {} : { campaign: CampaignId.parse(campaign) }),
    name: typed(values, 'name'),
    text: typed(values, 'text'),
    ...by,
  };
}

function isSameText(before: SavedReason | undefined, after: StoredReason): boolean {
  return (
    before !== undefined &&
    before.by === after.by &&
    (['verdict', 'campaign', 'name', 'text'] as const).every((field) => before[field] === after[field])
  );
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
