import { DateTime } from 'luxon';
import { type AccountRef, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { plain, unescaped } from '../../slack/mrkdwn.ts';

/** Somebody who reads a sentence: times are in their zone. */
export type Reader = Pick<AccountRef, 'workspace'> & { readonly member: MemberId };

const emoji = /:[a-z][a-z0-9_+-]*: ?/g;
const dateToken = /<!date\^(\d+)\^([^|>]*)\|[^>]*>/g;
const mention = /<@([A-Z0-9]+)>/g;

/** Creates the translation of what Slack would draw into plain sentences. */
export function createWords({ people, clock }: Modules) {
  /** Returns a person's name. */
  async function nameOf(workspace: Reader['workspace'], member: MemberId): Promise<string> {
    return (await people.slack.person(workspace, member, { isFresh: false }))?.name ?? member;
  }

  /** Returns mrkdwn as a plain sentence: with names, and times in the reader's zone. */
  async function inWords({ workspace, member }: Reader, mrkdwn: string): Promise<string> {
    const zone = (await people.slack.person(workspace, member, { isFresh: false }))?.zone ?? 'UTC';
    const base = DateTime.fromMillis(clock.now(), { zone });
    let drawn = mrkdwn.replace(emoji, '').replace(dateToken, (_, seconds: string, format: string) => {
      const at = DateTime.fromSeconds(Number(seconds), { zone, locale: 'en-US' });
      return format
        .replace('{date_short_pretty}', at.hasSame(base, 'day') ? 'today' : at.toFormat('MMM d, yyyy'))
        .replace('{time_secs}', at.toFormat('h:mm:ss a'))
        .replace('{time}', at.toFormat('h:mm a'));
    });
    for (const [token, id] of mrkdwn.matchAll(mention)) {
      const name = await nameOf(workspace, MemberId.parse(id));
      drawn = drawn.replaceAll(token, () => name);
    }
    return unescaped(plain(drawn).replaceAll('\u200b', '')).trim();
  }

  return { nameOf, inWords };
}

export type Words = ReturnType<typeof createWords>;
