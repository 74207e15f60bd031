import { DateTime } from 'luxon';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { plain } from '../../slack/mrkdwn.ts';
import { capital } from '../../ui/words.ts';

/** Somebody who reads a sentence: times are in their zone. */
export type Reader = Pick<AccountRef, 'workspace'> & { readonly member: MemberId };

const emoji = /:[a-z][a-z0-9_+-]*: ?/g;
const dateToken = /<!date\^(\d+)\^([^|>]*)\|[^>]*>/g;
const mention = /<@([A-Z0-9]+)>/g;
const entities = { '&lt;': '<', '&gt;': '>', '&amp;': '&' } as const;

/** Creates the translation of what Slack would draw into plain sentences. */
export function createWords({ people, clock }: Modules) {
  /** Returns a person's name. */
  async function nameOf(workspace: Reader['workspace'], member: MemberId): Promise<string> {
    return (await people.slack.person(workspace, member, { isFresh: false }))?.name ?? member;
  }

  /** Returns mrkdwn as a plain sentence: with names, and times in the reader's zone. */
  async function inWords({ workspace, member }: Reader, mrkdwn: string): Promise<string> {
    const zone = (await people.slack.person(workspace, member, { isFresh: false }))?.zone ?? 'UTC';
    const names = new Map<string, string>();
    for (const [, id = ''] of mrkdwn.matchAll(mention))
      names.set(id, await nameOf(workspace, id as MemberId));
    const drawn = mrkdwn
      .replace(emoji, '')
      .replace(dateToken, (_, seconds: string, format: string) => moment(Number(seconds), format, zone))
      .replace(mention, (_, id: string) => names.get(id) ?? id)
      .replace(/<!subteam\^[A-Z0-9]+>/g, 'a user group');
    return plain(drawn)
      .replaceAll('\u200b', '')
      .replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity as keyof typeof entities])
      .trim();
  }

  /** Returns a time as Slack draws it in a format, in a zone. */
  function moment(seconds: number, format: string, zone: string): string {
    const at = DateTime.fromSeconds(seconds, { zone, locale: 'en-US' });
    const now = DateTime.fromMillis(clock.now(), { zone });
    const days = Math.round(now.startOf('day').diff(at.startOf('day'), 'days').days);
    const named = { 0: 'today', 1: 'yesterday', [-1]: 'tomorrow' }[days];
    const day = named ?? at.toFormat(at.year === now.year ? 'MMM d' : 'MMM d, yyyy');
    const text = format
      .replace('{date_short_pretty}', day)
      .replace('{time_secs}', at.toFormat('h:mm:ss a'))
      .replace('{time}', at.toFormat('h:mm a'));
    return format.startsWith('{') ? capital(text) : text;
  }

  return { nameOf, inWords };
}

export type Words = ReturnType<typeof createWords>;
