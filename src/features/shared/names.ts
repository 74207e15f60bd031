import { cut } from '../../slack/limits.ts';
import { inline } from '../../slack/mrkdwn.ts';

const longest = 60;

/** Returns a person's name and id at the marketplace, in mrkdwn. @param name '' when it is not known */
export function nameWithId(name: string, id: string): string {
  const shown = inline(name, longest);
  return shown === '' ? inline(id, longest) : `${shown} (${inline(id, longest)})`;
}

/** Returns the same for plain text, in which nothing is formatted. */
export function plainNameWithId(name: string, id: string): string {
  const [shownName = '', shownId = ''] = [name, id].map((text) =>
    cut(text.replace(/\s+/g, ' ').trim(), longest),
  );
  return shownName === '' ? shownId : `${shownName} (${shownId})`;
}

/** Returns the first ten of some ids and how many more there are, in mrkdwn. */
export function idList(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).map((id) => inline(id, longest));
  return shown.join(', ') + (ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '');
}
