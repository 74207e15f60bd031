/** Signs that a results CSV (section 9) is incomplete, or not the requested one. */

/** The columns in the API's description. */
const resultsColumns = [
  'ROW',
  'CSV_ROW',
  'TASK_ID',
  'USER_ID',
  'USERNAME',
  'TASK_RATING',
  'FINISHED',
  'IP',
  'COUNTRY_CODE',
  'PROOF_1',
  'EMPLOYER_COMMENT',
  'HTTP_USER_AGENT',
] as const;
export type ResultsColumn = (typeof resultsColumns)[number];

/** Why a read of results is incomplete. The rows that could be read are still valid. */
export type ResultsProblem =
  | { readonly kind: 'no header' | 'other campaign' | 'cut end' | 'undecodable' }
  /** Columns that are missing or duplicated. */
  | { readonly kind: 'other columns'; readonly columns: readonly string[] }
  /** `repeated tasks`: a task has several rows. */
  | { readonly kind: 'unreadable rows' | 'repeated tasks'; readonly count: number }
  | { readonly kind: 'fewer rows'; readonly read: number; readonly expected: number };

/** Returns a description of the problem for people: the words after “the results …”. */
function describeResultsProblem(problem: ResultsProblem): string {
  switch (problem.kind) {
    case 'no header':
      return 'have no table of tasks in them';
    case 'other campaign':
      return 'are those of another campaign';
    case 'cut end':
      return 'end in the middle of a row';
    case 'undecodable':
      return 'have characters that cannot be decoded';
    case 'other columns':
      return `lack columns, or have them twice: ${problem.columns.join(', ')}`;
    case 'unreadable rows':
      return problem.count === 1
        ? 'have a row that cannot be read'
        : `have ${problem.count} rows that cannot be read`;
    case 'repeated tasks':
      return problem.count === 1
        ? 'have several rows for the same task'
        : `have several rows for each of ${problem.count} tasks`;
    case 'fewer rows':
      return `have ${problem.read} of ${problem.expected} tasks`;
  }
}

/** Returns a description of all problems in one phrase: “the results …”. */
export function describeResultsProblems(problems: readonly ResultsProblem[]): string {
  return problems.map(describeResultsProblem).join(', and ');
}

/** Returns the described columns that a header lacks or has twice. */
export function unclearColumns(header: readonly string[]): string[] {
  return resultsColumns.filter((name) => header.filter((other) => other === name).length !== 1);
}
