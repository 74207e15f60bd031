/** The result of one check: fine, wrong with a fix, or worth knowing. */
export interface Finding {
  readonly kind: 'ok' | 'wrong' | 'note';
  /** What was checked, such as the name of a setting. */
  readonly subject: string;
  readonly text: string;
}

const marks: Readonly<Record<Finding['kind'], string>> = { ok: 'ok   ', wrong: 'WRONG', note: 'note ' };

/** Returns one line per finding, and a summary. */
export function report(findings: readonly Finding[]): string {
  const wrong = findings.filter(({ kind }) => kind === 'wrong').length;
  const lines = findings.map(({ kind, subject, text }) => `${marks[kind]}  ${subject}: ${text}`);
  const summary =
    wrong === 0
      ? 'Everything that could be checked is fine. Start with: npm start'
      : `${wrong === 1 ? 'One thing is' : `${wrong} things are`} wrong. Fix the lines marked WRONG, then run this again.`;
  return [...lines, summary].join('\n');
}

export const ok = (subject: string, text: string): Finding => ({ kind: 'ok', subject, text });
export const wrong = (subject: string, text: string): Finding => ({ kind: 'wrong', subject, text });
export const note = (subject: string, text: string): Finding => ({ kind: 'note', subject, text });
