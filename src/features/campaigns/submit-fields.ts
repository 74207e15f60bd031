import { z } from 'zod';
import { CampaignId } from '../../domain/terms.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import { type CallFailure, MarketplaceError, type MarketplaceErrorCode } from '../../marketplace/index.ts';
import { type Draft, draftCodec, type Problem } from '../../ui/draft.ts';

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

/** The input to which each refusal of submit_file_proof refers. Others are shown at the top. */
const fieldOfCode: Readonly<Partial<Record<MarketplaceErrorCode, FieldName>>> = {
  NO_SUCH_CAMPAIGN: 'campaign',
  JOB_NOT_RUNNING: 'campaign',
  UNKNOWN_WORKER: 'worker',
  WORKER_RESTRICTED: 'worker',
  PHONE_NOT_VALIDATED: 'worker',
  CAMPAIGN_NOT_FOR_THIS_WORKER: 'worker',
  COUNTRY_EXCLUDED: 'worker',
  SUCCESS_RATE_TOO_LOW: 'worker',
  ALREADY_SUBMITTED: 'worker',
  IP_NOT_IN_ACCEPTED_COUNTRIES: 'ip',
  IP_NOT_IN_ACCEPTED_COUNTRY: 'ip',
  SAME_IP_ALREADY_SUBMITTED: 'ip',
  IP_DOES_NOT_MATCH: 'ip',
  PROOF_REQUIRED: 'proof',
  VCODE_INCORRECT: 'proof',
  FILE_FORMAT_NOT_SUPPORTED: 'file',
  FILE_HAS_VIRUS: 'file',
  FILE_UPLOAD_FAILURE: 'file',
};

/** The campaign never accepts this worker's proof, whatever the other inputs. */
const finalCodes: ReadonlySet<MarketplaceErrorCode> = new Set([
  'WORKER_RESTRICTED',
  'CAMPAIGN_NOT_FOR_THIS_WORKER',
  'COUNTRY_EXCLUDED',
  'SUCCESS_RATE_TOO_LOW',
  'ALREADY_SUBMITTED',
]);

/** Maps a refusal of submit_file_proof to a problem: at the named field, else at the top. */
export function refusalOf(error: CallFailure): {
  readonly problems: readonly Problem[];
  readonly isFinal: boolean;
} {
  const code = error instanceof MarketplaceError ? error.code : undefined;
  const field = code && fieldOfCode[code];
  const text = marketplaceErrorText(error);
  return {
    problems: [field ? { field, text } : { text: `*Nothing was submitted.* ${text}` }],
    isFinal: code !== undefined && finalCodes.has(code),
  };
}
