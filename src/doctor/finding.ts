/** What a check has found out about one piece: fine, wrong with what to do about it, or worth knowing. */
export interface Finding {
  readonly kind: 'ok' | 'wrong' | 'note';
  readonly piece: string;
  readonly text: string;
}

const marks: Readonly<Record<Finding['kind'], string>> = { ok: 'ok   ', wrong: 'WRONG', note: 'note ' };

/** One line per finding, and a last one that sums up. */
export function report(findings: readonly Finding[]): string {
  const wrong = findings.filter(({ kind }) => kind === 'wrong').length;
  const lines = findings.map(({ kind, piece, text }) => `${marks[kind]}  ${piece}: ${text}`);
  const sum =
    wrong === 0
      ? 'Everything that could be checked is right. Start with: npm start'
      : `${wrong === 1 ? 'One thing is' : `${wrong} things are`} wrong. Correct what the lines marked WRONG say, then run this again.`;
  return [...lines, sum].join('\n');
}

export const ok = (piece: string, text: string): Finding => ({ kind: 'ok', piece, text });
export const wrong = (piece: string, text: string): Finding => ({ kind: 'wrong', piece, text });
export const note = (piece: string, text: string): Finding => ({ kind: 'note', piece, text });
