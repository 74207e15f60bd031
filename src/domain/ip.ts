/** What stands in the place of the hidden part of an address. */
const hidden = '…';
/** No address is longer: an IPv6 address with an IPv4 address in it, and a zone. */
const longest = 64;

/**
 * Masks an IP address, which is personal data: an IPv4 address without its last part (`203.0.113.…`), an IPv6 address
 * without what follows the first 64 bits (`2001:db8:0:1:…`), which all devices of one household share. Of an IPv4 address that
 * is written as IPv6 (mapped, 6to4), the last part is hidden too. Of what is no address nothing is shown. Only the first
 * characters are looked at, so that a text of a megabyte costs no more than an address.
 */
export function maskIp(ip: string): string {
  const text = ip.slice(0, longest).trim();
  if (text === '') return '';
  if (ip.length > longest) return hidden;
  const v4 = parseV4(text);
  if (v4 !== undefined) return maskedV4(v4);
  const groups = parseV6(text);
  if (groups === undefined) return hidden;
  const [first = 0, second = 0, third = 0] = groups;
  if (isMapped(groups)) return maskedV4([...bytesOf(groups[6]), ...bytesOf(groups[7])]);
  if (first === 0x2002) return maskedV4([...bytesOf(second), ...bytesOf(third)]);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}:${hidden}`;
}

/** Returns whether an address is an IPv4 one as IPv6 writes it: `::ffff:203.0.113.7`. */
function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}

function bytesOf(group = 0): [number, number] {
  return [group >> 8, group & 0xff];
}

function maskedV4(parts: readonly number[]): string {
  return `${parts.slice(0, 3).join('.')}.${hidden}`;
}

function parseV4(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const numbers = parts.map((part) => (/^\d{1,3}$/u.test(part) ? Number(part) : Number.NaN));
  return numbers.every((number) => number <= 255) ? numbers : undefined;
}

/** Returns the eight groups of an IPv6 address, or undefined when the text is none. A zone (`%eth0`) is left out. */
function parseV6(text: string): number[] | undefined {
  const [address = ''] = text.split('%', 1);
  const halves = address.split('::');
  if (halves.length > 2) return undefined;
  const [before, after] = halves.map(groupsOf);
  if (before === undefined || (halves.length === 2 && after === undefined)) return undefined;
  if (halves.length === 1) return before.length === 8 ? before : undefined;
  const missing = 8 - before.length - (after?.length ?? 0);
  return missing < 1 ? undefined : [...before, ...Array<number>(missing).fill(0), ...(after ?? [])];
}

/** Returns the groups of one side of `::`; the last ones may be written as an IPv4 address. */
function groupsOf(half: string): number[] | undefined {
  if (half === '') return [];
  const groups: number[] = [];
  const parts = half.split(':');
  for (const [index, part] of parts.entries()) {
    const v4 = index === parts.length - 1 ? parseV4(part) : undefined;
    if (v4 !== undefined) {
      const [a = 0, b = 0, c = 0, d = 0] = v4;
      groups.push((a << 8) | b, (c << 8) | d);
    } else if (/^[\da-f]{1,4}$/iu.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/**
 * Returns an address in one spelling, and the network that it belongs to: the first 24 bits of an IPv4 address, the first 48
 * of an IPv6 one. Undefined when the text is no address.
 */
export function networkOf(ip: string): { readonly address: string; readonly network: string } | undefined {
  if (ip.length > longest) return undefined;
  const text = ip.trim();
  const v4 = parseV4(text);
  if (v4 !== undefined) return networkOfV4(v4);
  const groups = parseV6(text);
  if (groups === undefined) return undefined;
  if (isMapped(groups)) return networkOfV4([...bytesOf(groups[6]), ...bytesOf(groups[7])]);
  const hex = groups.map((group) => group.toString(16));
  return { address: hex.join(':'), network: `${hex.slice(0, 3).join(':')}::/48` };
}

function networkOfV4(parts: readonly number[]) {
  return { address: parts.join('.'), network: `${parts.slice(0, 3).join('.')}.0/24` };
}
