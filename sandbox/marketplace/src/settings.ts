import { z } from 'zod';

const decimal = z.string().regex(/^\d+(\.\d{1,5})?$/, 'must be a decimal with at most 5 places, as text');
const seconds = z.number().min(0);

/** The settings that can be changed while the sandbox runs: `PATCH /_sandbox/settings`, see README.md. */
export const Settings = z.strictObject({
  /** HTTP status of business errors: the API text does not say. */
  errorStatus: z.union([z.literal(200), z.literal(400)]),
  /** Whether rate_task takes REVISE: its field table says yes, its error list says no. */
  reviseThroughRateTask: z.boolean(),
  /** The prefix of an excluded country in `countries[]`. */
  excludeMark: z.string().min(1),
  /** The employers' balance, from which bonuses are paid. */
  balance: decimal,
  retargetWaitSeconds: seconds,
  /** How `NEXT RETARGET:<TIMESTAMP>` writes its time. */
  retargetTimestamp: z.enum(['datetime', 'epoch']),
  reviewSeconds: seconds,
  restartSeconds: seconds,
  correctSeconds: seconds,
  workerEverySeconds: z.number().positive(),
  messageEverySeconds: z.number().positive(),
  /** The simulated workers pause while this many tasks wait for a rating. */
  workerMaxWaiting: z.int().min(0),
  /** The shape of the answer to a missing, wrong or disabled key. */
  authErrorShape: z.enum(['json', 'text']),
  /** Which of the API text's two shapes new_campaign answers with: the field list's, or the worked example's. */
  newCampaignShape: z.enum(['fields', 'worked']),
  /** Which campaigns list_extend returns when no folder is given: the API text does not say. */
  noFolderMeans: z.enum(['every folder', 'DEFAULT']),
  keyHeader: z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/),
  /** Larger files are refused with `File upload failure`. */
  maxFileBytes: z.int().positive(),
  /** Requests per second and key before 429; 0: no limit. */
  requestsPerSecond: z.number().min(0),
});
export type Settings = z.infer<typeof Settings>;

export const defaultSettings: Settings = {
  errorStatus: 200,
  reviseThroughRateTask: false,
  excludeMark: '-',
  balance: '250.00000',
  retargetWaitSeconds: 300,
  retargetTimestamp: 'datetime',
  reviewSeconds: 20,
  restartSeconds: 15,
  correctSeconds: 45,
  workerEverySeconds: 20,
  messageEverySeconds: 180,
  workerMaxWaiting: 40,
  authErrorShape: 'json',
  newCampaignShape: 'fields',
  noFolderMeans: 'every folder',
  keyHeader: 'ServiceApiKey',
  maxFileBytes: 20_000_000,
  requestsPerSecond: 0,
};
