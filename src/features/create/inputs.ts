import { type AttachedFile, attached, chosen, typed, type Values } from '../../slack/feature.ts';
import { type Draft, type Fields, inputId } from './draft.ts';

/** What stands in the first page of the form. */
export function jobInputs(fields: Fields, values: Values): Fields {
  return {
    ...fields,
    title: typed(values, 'title'),
    category: chosen(values, 'category') ?? '',
    payment: typed(values, 'payment'),
    positions: typed(values, 'positions'),
    perWorker: typed(values, 'perWorker'),
    minutes: typed(values, 'minutes'),
    group: typed(values, 'group'),
  };
}

/** What stands in the second page, files apart. */
export function workInputs(fields: Fields, values: Values): Fields {
  const proofs = ['proof1', 'proof2', 'proof3'].filter((name) => name in values);
  return {
    ...fields,
    description: oneOf(['SAME', 'UNIQUE'], chosen(values, 'description')) ?? fields.description,
    work: typed(values, 'work'),
    proofs: proofs.length > 0 ? proofs.map((name) => typed(values, name)) : fields.proofs,
    fileProof: oneOf(['0', '1', '2'], chosen(values, 'fileProof')) ?? fields.fileProof,
    autoRate: oneOf(['NO', 'V', 'V+R'], chosen(values, 'autoRate')) ?? fields.autoRate,
    ttr: typed(values, 'ttr'),
    qtRequired: oneOf(['0', '1'], chosen(values, 'qtRequired')) ?? fields.qtRequired,
  };
}

/** The files newly attached in the second page. */
export interface NewFiles {
  readonly file?: AttachedFile;
  readonly csv?: AttachedFile;
}

export function newFiles(draft: Draft, values: Values): NewFiles {
  const [file] = attached(values, inputId(draft, 'file'));
  const [csv] = attached(values, inputId(draft, 'csv'));
  return { ...(file ? { file } : {}), ...(csv ? { csv } : {}) };
}

function oneOf<const T extends string>(allowed: readonly T[], value: string | undefined): T | undefined {
  return allowed.find((known) => known === value);
}
