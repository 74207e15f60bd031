import type { MarketplaceErrorCode } from '../../marketplace/index.ts';
import type { FieldName } from './draft.ts';

/** Which input each refusal of submit_file_proof speaks of; the others stand at the top. */
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

export function fieldOf(code: MarketplaceErrorCode): FieldName | undefined {
  return fieldOfCode[code];
}
