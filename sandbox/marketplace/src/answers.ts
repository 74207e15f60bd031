/** A JSON object as the API answers it. */
export type Body = Record<string, unknown> & { readonly status: 'SUCCESS' | 'ERROR' };

/** The file itself: the answer of download_file_proof. */
export interface FileAnswer {
  readonly filename: string;
  readonly content_type: string;
  readonly bytes: Buffer;
}

export type Answer = { readonly body: Body } | { readonly file: FileAnswer };

export function success(fields: Record<string, unknown> = {}): Answer {
  return { body: { status: 'SUCCESS', ...fields } };
}

/** Thrown to end an operation with an error of the API ("Errors" of its description). */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly body: Body;
  /** Whether the answer has the shape of the setting authErrorShape. */
  readonly auth: boolean;

  constructor(error: string, fields: Record<string, unknown> = {}, auth = false) {
    super(error);
    this.body = { status: 'ERROR', error, ...fields };
    this.auth = auth;
  }
}

/** Thrown when new_campaign fails: its answer has `errors` and the minimum payment instead of `error`. */
export class CampaignRefusal extends Refusal {
  override readonly body: Body;

  constructor(fields: { errors: string[] } & Record<string, unknown>) {
    super(fields.errors.join(', '));
    this.body = { status: 'ERROR', ...fields };
  }
}

/** Throws INPUT_DATA with the texts of errors_list, if there are any. */
export function refuseInput(
  errorsList: readonly string[],
  fields: Record<string, unknown> = {},
  error = 'INPUT_DATA',
): void {
  if (errorsList.length > 0) throw new Refusal(error, { ...fields, errors_list: errorsList });
}
