import { MemberId } from '../domain/terms.ts';

/** A person's text in Slack, without Slack's own notation. */
export interface WrittenText {
  readonly text: string;
  /** The members it mentions; in `text`, each appears as `@U…`. */
  readonly mentioned: readonly MemberId[];
}

const entities = { '&lt;': '<', '&gt;': '>', '&amp;': '&' } as const;
const notation = /<([^<>|]*)(?:\|([^<>]*))?>/g;

/**
 * Returns a person's text as others read it: links as their addresses, channels and groups by name, `&`, `<` and `>`
 * unescaped.
 */
export function writtenText(source: string): WrittenText {
  const mentioned: MemberId[] = [];
  const text = source.replace(notation, (_, target: string, label: string | undefined) => {
    if (/^@[UW]/.test(target)) {
      mentioned.push(MemberId.parse(target.slice(1)));
      return target;
    }
    if (target.startsWith('!')) {
      const [name = ''] = target.slice(1).split('^');
      return label ?? `@${name}`;
    }
    if (target.startsWith('#')) return `#${label || target.slice(1)}`;
    const address = target.replace(/^(?:mailto|tel):/, '');
    return label === undefined || address.endsWith(label) ? address : `${label} (${address})`;
  });
  return {
    text: text.replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity as keyof typeof entities]),
    mentioned: [...new Set(mentioned)],
  };
}
