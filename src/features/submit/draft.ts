import { z } from 'zod';
import { CampaignId } from '../../domain/terms.ts';
import { type Draft, draftCodec } from '../../ui/draft.ts';

const text = z.string();

/** The form's fields, exactly as entered. */
const Proof = z.object({
  campaign: z.object({ id: CampaignId, title: text }).optional(),
  worker: text,
  ip: text,
  proof: text,
});
export type Proof = z.infer<typeof Proof>;

/** Inputs that a problem can refer to. */
export type FieldName = keyof Proof | 'file';

export type SubmissionDraft = Draft<'form', Proof>;

export const submissionDraft = draftCodec<'form', Proof>({
  pages: ['form'],
  values: Proof,
});

export const emptyProof: Proof = { worker: '', ip: '', proof: '' };
