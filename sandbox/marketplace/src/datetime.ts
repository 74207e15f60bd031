/** Formats a time (ms) as the API does: `YYYY-MM-DD hh:mm:ss`, in UTC. */
export function formatDatetime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** Parses `YYYY-MM-DD hh:mm:ss` (UTC) to milliseconds. Returns undefined if the text or its date is invalid. */
export function parseDatetime(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return undefined;
  const at = Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isNaN(at) || formatDatetime(at) !== text ? undefined : at;
}
