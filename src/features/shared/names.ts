import { cut } from '../../slack/limits.ts';
import { inline } from '../../slack/mrkdwn.ts';

const longest = 60;

/** Returns a person's name and id at the marketplace, in mrkdwn. @param name '' if unknown */
export function nameWithId(name: string, id: string): string {
  const shown = inline(name, longest);
  return shown === '' ? inline(id, longest) : `${shown} (${inline(id, longest)})`;
}

/** Returns the same as plain text, without formatting. */
export function plainNameWithId(name: string, id: string): string {
  const [shownName = '', shownId = ''] = [name, id].map((text) =>
    cut(text.replace(/\s+/g, ' ').trim(), longest),
  );
  return shownName === '' ? shownId : `${shownName} (${shownId})`;
}

/** Returns the first ten ids and the number of others, in mrkdwn. */
export function idList(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).map((id) => inline(id, longest));
  return shown.join(', ') + (ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '');
}
