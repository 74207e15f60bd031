import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { NewAuditEntry } from '../domain/audit.ts';
import type { Capability } from '../domain/permissions.ts';
import { AccountId, type AccountRef, ChannelId, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { UserError } from '../errors.ts';
import { type ActEnd, failureOf } from '../kit/marketplace-act.ts';
import type { Modules } from '../kit/modules.ts';
import { type CallFailure, hasUnknownOutcome, isCallFailure } from '../marketplace/index.ts';
import type { OpenAttachment } from '../slack/files.ts';
import { Attachment, attached, type Values as InputValues } from '../slack/form-values.ts';
import type { AuditStep } from '../store/audit.ts';
import { createCodec } from '../store/format.ts';
import { type FormWording, noAnswerYet, unknownSentences } from './draft-form.view.ts';

const text = z.string();

/** A problem with a draft, in mrkdwn. Without a field it is shown at the top of the page. */
const Problem = z.object({ field: text.optional(), text });
export type Problem = Readonly<z.infer<typeof Problem>>;

const Common = z.object({
  id: text,
  /** The member filling it in, and the account it is for. */
  member: MemberId,
  account: AccountId,
  /** Where the form was opened: results go there if the modal was closed. */
  channel: ChannelId.optional(),
  /** The page it shows; `unknown`: it was sent, and whether it arrived is not known. */
  step: z.enum(['form', 'job', 'work', 'check', 'unknown', 'done']),
  /** Incremented with each page, so that a click on an older page is detected. */
  version: z.number().int(),
  files: z.record(text, Attachment),
  problems: z.array(Problem).readonly(),
  /** When it was sent (ms), and the ids of similar records that existed before. */
  sent: z
    .object({
      at: z.number(),
      before: z.array(text).readonly(),
      /** Audit entry, until the outcome is known. */
      entry: NewAuditEntry.optional(),
    })
    .optional(),
  /** Sentences of the steps `unknown` and `done`, in mrkdwn. */
  sentences: z.array(text).readonly(),
  /** An earlier draft offered in this form, described in mrkdwn. */
  unfinished: z.object({ id: text, description: text }).optional(),
});

/** A partly filled-in form. Every view of the form is rendered from its draft alone. */
export interface Draft<Values = unknown> extends Readonly<z.infer<typeof Common>> {
  readonly values: Values;
}
export type Step = Draft['step'];

/** Returns the next version of a draft: at a step, without the problems and sentences of the last one. */
export function nextVersion<D extends Draft>(draft: D, step: Step, change: Partial<D> = {}): D {
  return { ...draft, step, version: draft.version + 1, problems: [], sentences: [], ...change };
}

export function withoutFile<D extends Draft>(draft: D, name: string): D {
  const { [name]: _, ...files } = draft.files;
  return { ...draft, files };
}

/** Returns a filled draft without the file that is removed: unless one attached meanwhile has already replaced it. */
export function withRemoved<D extends Draft>(filled: D, before: D, name: string): D {
  return filled.files[name] === before.files[name] ? withoutFile(filled, name) : filled;
}

/** Runs an action that a file may cause to fail. Returns such a failure as a problem of the file's field. */
export async function tryFile<T>(field: string, run: () => Promise<T>): Promise<T | Problem> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UserError) return { field, text: error.message };
    throw error;
  }
}

/** Whether a sent draft arrived, said in a sentence, and what that adds to the audit. */
export interface FoundDraft {
  readonly isThere: boolean;
  readonly sentence: string;
  readonly end?: ActEnd;
}

export type OpenFiles = Readonly<Record<string, OpenAttachment>>;

export interface FormDefinition<Values> {
  readonly name: string;
  readonly values: z.ZodType<Values>;
  readonly emptyValues: Values;
  readonly wording: FormWording;
  readonly needs: Capability;
  /** Members who may not send it themselves request an approval at the end. */
  readonly isAsking: boolean;
  readonly firstPage: Step;
  /** The page whose submission sends the draft. */
  readonly sendPage: Step;
  view(draft: Draft<Values>): ModalView;
  /** Returns the values merged with the inputs of the draft's page. */
  valuesIn(ref: AccountRef, draft: Draft<Values>, inputs: InputValues): Promise<Values>;
  /** Returns whether enough was filled in to offer the draft later. */
  isWorthResuming(draft: Draft<Values>): boolean;
  /**
   * Prepares the single call that sends the draft, and says what came of it in mrkdwn and to the audit. `before`: ids of
   * similar records that already exist.
   */
  prepare(
    ref: AccountRef,
    draft: Draft<Values>,
    files: OpenFiles,
  ): Promise<{
    readonly before?: readonly string[];
    readonly entry: Omit<NewAuditEntry, 'by' | 'how'>;
    readonly send: () => Promise<{ readonly sentences: readonly string[]; readonly end: ActEnd }>;
  }>;
  find(ref: AccountRef, draft: Draft<Values>): Promise<FoundDraft>;
  refused(draft: Draft<Values>, error: CallFailure): readonly Problem[];
  pageOf(problems: readonly Problem[]): Step;
}

export type Drafts<Values> = ReturnType<typeof createDrafts<Values>>;

/** Audit text for a draft found at the marketplace although its call was never answered. */
const foundLater = 'no answer; found when it was looked up';

/** A draft expires a day after its last change, plus an hour, because an approval may take the whole day. */
const expirySeconds = 25 * 3_600;

/** Creates the drafts of one form: stored, as they are too long for modal state, and sent at most once. */
export function createDrafts<Values>(
  { audit, clock, jobs, log, slack }: Modules,
  form: FormDefinition<Values>,
) {
  type FormDraft = Draft<Values>;
  const { expiringTexts } = jobs;
  const stored: z.ZodType<unknown> = Common.extend({ values: form.values });
  const draftCodec = createCodec('draft', stored as z.ZodType<FormDraft>);
  const nameOf = (id: string) => `${form.name} ${id}`;
  const latestOf = (member: MemberId) => `${form.name} of ${member}`;

  /** Returns a draft, and its text in Redis; no draft if it has expired or cannot be read. */
  async function read(workspace: WorkspaceId, id: string) {
    const text = (await expiringTexts.get(workspace, nameOf(id))) ?? '';
    if (text === '') return { text };
    const decoded = draftCodec.decode(text);
    if (decoded.ok) return { text, draft: decoded.value };
    log.warn({ form: form.name, draft: id, reason: decoded.reason }, 'stored draft unreadable');
    return { text };
  }

  const load = async (workspace: WorkspaceId, id: string) => (await read(workspace, id)).draft;

  /** Stores a draft, unless it has changed since it was read. @param step an audit entry added in the same Redis step */
  async function swap(workspace: WorkspaceId, before: string, draft: FormDraft, step?: AuditStep) {
    const texts = [before, draftCodec.encode(draft)] as const;
    const isStored = await expiringTexts.swap(workspace, nameOf(draft.id), texts, expirySeconds, step);
    if (isStored && form.isWorthResuming(draft))
      await expiringTexts.put(workspace, latestOf(draft.member), draft.id, expirySeconds);
    return isStored;
  }

  /**
   * Stores a draft in place of one of its versions: what one modal or process sends, no other sends or takes back. If
   * another was first, `isMine` is false, and `draft` is theirs.
   */
  async function replace({ workspace }: AccountRef, from: FormDraft, to: FormDraft, step?: AuditStep) {
    for (;;) {
      const { text, draft } = await read(workspace, from.id);
      if (draft !== undefined && draft.version !== from.version) return { draft, isMine: false };
      if (await swap(workspace, text, to, step)) return { draft: to, isMine: true };
    }
  }

  /** Stores the next version of a draft. Returns the other version if another modal or process was first. */
  const advance = async (ref: AccountRef, from: FormDraft, to: FormDraft) =>
    (await replace(ref, from, to)).draft;

  /**
   * Stores the end of a sent draft, with its audit entry unless it was found there meanwhile. A change made at the
   * marketplace is shown even if that fails.
   */
  async function end({ workspace }: AccountRef, draft: FormDraft, step: AuditStep): Promise<FormDraft> {
    try {
      for (;;) {
        const { text, draft: latest } = await read(workspace, draft.id);
        const isFound = latest?.sent?.at === draft.sent?.at && latest?.sent?.entry === undefined;
        if (await swap(workspace, text, draft, isFound ? undefined : step)) return draft;
      }
    } catch (error) {
      log.warn({ err: error, form: form.name }, 'result of a form not stored');
      return draft;
    }
  }

  /** Looks for a sent draft. Returns undefined if the marketplace cannot be read. */
  async function find(ref: AccountRef, draft: FormDraft): Promise<FoundDraft | undefined> {
    return form.find(ref, draft).catch((error: unknown) => {
      if (!isCallFailure(error)) throw error;
      return undefined;
    });
  }

  /** Drafts belong to the workspace: their entries go to its trail, where one Redis step writes both. */
  const stepOf = ({ workspace }: AccountRef, entry: NewAuditEntry) => audit.step({ workspace }, entry);

  /** Looks up a draft of unknown outcome. Returns its current state, which may have moved on meanwhile. */
  async function lookUp(ref: AccountRef, draft: FormDraft): Promise<FormDraft> {
    const found = await find(ref, draft);
    const looked = nextVersion(draft, 'unknown', { sentences: unknownSentences(form.wording, draft, found) });
    if (!found?.isThere || draft.sent?.entry === undefined) return advance(ref, draft, looked);
    // The audit gets the entry once, so the draft drops it.
    const { entry, ...sent } = draft.sent;
    const step = stepOf(ref, { ...entry, ...found.end, stage: 'done', answer: foundLater });
    return (await replace(ref, draft, { ...looked, sent }, step)).draft;
  }

  return {
    load,
    replace,
    advance,
    find,
    lookUp,

    async discard(workspace: WorkspaceId, id: string): Promise<void> {
      await expiringTexts.remove(workspace, nameOf(id));
    },

    /** Returns the member's latest draft, unless it is finished. */
    async unfinished(workspace: WorkspaceId, member: MemberId): Promise<FormDraft | undefined> {
      const id = await expiringTexts.get(workspace, latestOf(member));
      const latest = id === undefined ? undefined : await load(workspace, id);
      return latest && latest.step !== 'done' && form.isWorthResuming(latest) ? latest : undefined;
    },

    /**
     * Returns a draft with the files attached in the open page, which replace earlier ones, and with their problems. Slack
     * stores their bytes; a draft holds only what is needed to fetch them.
     */
    async attach({ workspace }: AccountRef, draft: FormDraft, inputs: InputValues): Promise<FormDraft> {
      let next: FormDraft = { ...draft, problems: [] };
      for (const id of Object.keys(inputs)) {
        const [file] = attached(inputs, id);
        const [name = ''] = id.split('.');
        if (file === undefined || file.id === draft.files[name]?.id) continue;
        next = withoutFile(next, name);
        const taken = await tryFile(name, () => slack.messengerOf(workspace).attachments.describe(file));
        if ('text' in taken) next = { ...next, problems: [...next.problems, taken] };
        else next = { ...next, files: { ...next.files, [name]: taken } };
      }
      return next;
    },

    /**
     * Sends a draft, without automatic retry after an unknown outcome, and returns its state afterwards. It is stored as
     * sent before the first byte leaves; if it moved on before that, nothing is sent.
     * @param by who sends it and how, for the audit
     * @param onClaimed runs once sending is certain
     */
    async sendOnce(
      ref: AccountRef,
      draft: FormDraft,
      by: Pick<NewAuditEntry, 'by' | 'how' | 'member'> = { by: draft.member, how: 'form' },
      onClaimed: () => Promise<void> = async () => undefined,
    ): Promise<FormDraft> {
      const files: Record<string, OpenAttachment> = {};
      const returned = (from: FormDraft, problems: readonly Problem[]) =>
        nextVersion(from, form.pageOf(problems), { problems });
      try {
        for (const [name, file] of Object.entries(draft.files)) {
          const opened = await tryFile(name, () => slack.messengerOf(ref.workspace).attachments.open(file));
          if ('text' in opened) return await advance(ref, draft, returned(draft, [opened]));
          files[name] = opened;
        }
        const { before = [], entry, send } = await form.prepare(ref, draft, files);
        const act = { ...entry, ...by, account: ref.account, act: randomUUID() };
        const at = clock.now();
        const sentences = [noAnswerYet(form.wording, draft, at)];
        const claimed = nextVersion(draft, 'unknown', { sent: { at, before, entry: act }, sentences });
        const claim = stepOf(ref, { ...act, stage: 'claimed' });
        const { draft: sent, isMine } = await replace(ref, draft, claimed, claim);
        if (!isMine) return sent;
        await onClaimed();
        try {
          const { sentences, end: fields } = await send();
          const step = stepOf(ref, { ...act, stage: 'done', answer: 'OK', ...fields });
          return await end(ref, nextVersion(sent, 'done', { sentences }), step);
        } catch (error) {
          log.warn({ err: error, form: form.name }, 'form not accepted');
          const step = stepOf(ref, { ...act, ...failureOf(error) });
          if (isCallFailure(error) && !hasUnknownOutcome(error))
            return await end(ref, returned(sent, form.refused(sent, error)), step);
          const unknown = await end(ref, sent, step);
          if (!isCallFailure(error)) throw error;
          return await lookUp(ref, unknown);
        }
      } finally {
        // Those that were not read to the end.
        for (const { stream } of Object.values(files)) stream.destroy();
      }
    },
  };
}
