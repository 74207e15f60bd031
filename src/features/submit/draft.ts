import { z } from 'zod';
import { AccountId, CampaignId, ChannelId, MemberId, type WorkspaceId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';
import { Attachment } from '../../slack/file-field.ts';
import type { ExpiringTexts } from '../../store/expiring-texts.ts';

const text = z.string();
const advice = 'Start again with `/campaign submit`.';

/** The inputs that a problem can speak of. */
const fields = ['campaign', 'worker', 'ip', 'proof', 'file'] as const;
export type FieldName = (typeof fields)[number];

/** What is wrong, in mrkdwn; without a field it is said at the top. */
const Problem = z.object({ field: z.enum(fields).optional(), text });
export type Problem = z.infer<typeof Problem>;

/** A submission for a worker on its way: the modal is drawn from it alone. */
const Draft = z.object({
  id: text,
  /** Who puts it together, and the account it is for. */
  member: MemberId,
  account: AccountId,
  /** Where it was asked for: answers go there when the modal is closed. */
  channel: ChannelId.optional(),
  /** `unsure`: it was sent, and its end is unknown. */
  step: z.enum(['form', 'unsure', 'done']),
  /** Counts every change of step: what is submitted from an older page is not sent. */
  turn: z.number().int(),
  campaign: z.object({ id: CampaignId, title: text }).optional(),
  worker: text,
  ip: text,
  proof: text,
  file: Attachment.optional(),
  /** Counts files taken over: each time the input for a file starts empty again. */
  uploads: z.number().int(),
  problems: z.array(Problem),
  /** When it was sent (ms). */
  sentAt: z.number().optional(),
  /** One that was begun before and not finished: offered in the form. */
  unfinished: z.object({ id: text, title: text, worker: text }).optional(),
  /** The sentences of `unsure` and `done`, in mrkdwn. */
  said: z.array(text),
});
export type Draft = z.infer<typeof Draft>;

const keptDraft = codec(Draft, advice);

/** What the modal remembers. */
export const pageState = codec(z.object({ draft: text, turn: z.number().int() }), advice);

export function newDraft(
  id: string,
  about: Pick<Draft, 'member' | 'account' | 'channel' | 'campaign' | 'unfinished'>,
  problems: readonly Problem[] = [],
): Draft {
  return {
    id,
    ...about,
    step: 'form',
    turn: 0,
    worker: '',
    ip: '',
    proof: '',
    uploads: 0,
    problems: [...problems],
    said: [],
  };
}

export function moved(
  draft: Draft,
  step: Draft['step'],
  { problems = [], said = [] }: { problems?: readonly Problem[]; said?: readonly string[] } = {},
): Draft {
  return { ...draft, step, turn: draft.turn + 1, problems: [...problems], said: [...said] };
}

/** The name of the input for a file. */
export function fileInput({ uploads }: Pick<Draft, 'uploads'>): string {
  return `file.${uploads}`;
}

/** A form may lie open over a break: what was typed is kept for a day from the last page. */
const keptSeconds = 24 * 3_600;

export type Drafts = ReturnType<typeof createDrafts>;

/** Submissions that are being put together: a proof alone may be all that a modal can remember. */
export function createDrafts(kept: ExpiringTexts) {
  const name = (id: string) => `submit ${id}`;
  const lastOf = (member: MemberId) => `submit of ${member}`;

  async function load(workspace: WorkspaceId, id: string): Promise<Draft | undefined> {
    const found = await kept.get(workspace, name(id));
    return found === undefined ? undefined : keptDraft.decode(found);
  }

  return {
    load,

    async save(workspace: WorkspaceId, draft: Draft): Promise<Draft> {
      await kept.put(workspace, name(draft.id), keptDraft.encode(draft), keptSeconds);
      if (isWorthwhile(draft)) await kept.put(workspace, lastOf(draft.member), draft.id, keptSeconds);
      return draft;
    },

    /** What somebody began last and has not finished. */
    async unfinished(workspace: WorkspaceId, member: MemberId): Promise<Draft | undefined> {
      const id = await kept.get(workspace, lastOf(member));
      const last = id === undefined ? undefined : await load(workspace, id);
      return last !== undefined && last.step !== 'done' && isWorthwhile(last) ? last : undefined;
    },
  };
}

/** Something was typed that is worth going on with. */
function isWorthwhile({ worker }: Draft): boolean {
  return worker !== '';
}
