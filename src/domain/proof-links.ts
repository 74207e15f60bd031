/** An address in a proof. */
export interface ProofLink {
  /** The host with its port; names in other scripts in the ASCII form a browser looks up. */
  readonly host: string;
  /** The whole address, as a browser would open it. */
  readonly address: string;
}

const candidates = /(?:https?:\/\/|\bwww\.)[^\s<>"'`“”„«»]+/giu;
const trailing = /[.,;:!?…*_~]$/u;
const brackets = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
] as const;

/** Returns the distinct web addresses in texts, in order. */
export function linksIn(texts: readonly string[]): ProofLink[] {
  const found = new Map<string, ProofLink>();
  for (const text of texts) {
    for (const [candidate] of text.matchAll(candidates)) {
      const link = linkOf(withoutEnd(candidate));
      if (link && !found.has(link.address)) found.set(link.address, link);
    }
  }
  return [...found.values()];
}

function linkOf(text: string): ProofLink | undefined {
  const address = /^www\./iu.test(text) ? `https://${text}` : text;
  if (!URL.canParse(address)) return undefined;
  const { host, href } = new URL(address);
  return host === '' ? undefined : { host, address: href };
}

/** Strips trailing punctuation and brackets that are not part of the address. */
function withoutEnd(text: string): string {
  let rest = text;
  for (;;) {
    const last = rest.at(-1) ?? '';
    const pair = brackets.find(([, close]) => close === last);
    const isUnopened = pair !== undefined && rest.split(pair[0]).length < rest.split(pair[1]).length;
    if (!isUnopened && !trailing.test(rest)) return rest;
    rest = rest.slice(0, -last.length);
  }
}
