import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskIp } from '../../src/domain/worker.ts';
import { forAll } from './properties.ts';

test('an IPv4 address loses its last part, however it is written', () => {
  forAll(fc.ipV4(), (ip) => {
    const [a, b, c] = ip.split('.');
    const shown = `${Number(a)}.${Number(b)}.${Number(c)}.…`;
    expect(maskIp(ip)).toBe(shown);
    expect(maskIp(`::ffff:${ip}`)).toBe(shown);
    expect(maskIp(`::FFFF:${ip}`)).toBe(shown);
    expect(maskIp(` 0:0:0:0:0:ffff:${ip} `)).toBe(shown);
  });
  expect(maskIp('::ffff:cb00:7107')).toBe('203.0.113.…');
  // 6to4: the address of the sender stands in the first half.
  expect(maskIp('2002:cb00:7107::1')).toBe('203.0.113.…');
});

test('an IPv6 address keeps its first 64 bits at most', () => {
  const eight = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
  forAll({ examples: [[[0x2001, 0xdb8, 1, 2, 3, 4, 5, 6]]] }, eight, (groups) => {
    fc.pre(groups[0] !== 0x2002 && groups[0] !== 0);
    const ip = groups.map((group) => group.toString(16)).join(':');
    const shown = `${ip.split(':').slice(0, 4).join(':')}:…`;
    expect(maskIp(ip)).toBe(shown);
    expect(maskIp(ip.toUpperCase())).toBe(shown);
  });
  forAll(fc.ipV6(), (ip) => {
    const shown = maskIp(ip);
    expect(shown === '…' ? !isIPv6(ip) : /^(?:[\da-f]{1,4}:){4}…$|^(?:\d{1,3}\.){3}…$/u.test(shown)).toBe(
      true,
    );
  });
  expect(maskIp('2001:db8::7')).toBe('2001:db8:0:0:…');
  expect(maskIp('2001:db8:1:2::')).toBe('2001:db8:1:2:…');
  expect(maskIp('fe80::1%eth0')).toBe('fe80:0:0:0:…');
});

test('nothing is shown of what is no address, and a text of a megabyte costs nothing', () => {
  const four = ['1.2.3', '1.2.3.400', '1.2.3.4, 5.6.7.8'];
  const six = ['1::2::3', '1:2:3:4:5:6:7', ':::', '12345::'];
  for (const text of ['somewhere', ...four, ...six]) expect(maskIp(text)).toBe('…');
  expect(maskIp('')).toBe('');
  const million = 1_000_000;
  const hostile = ['.', ':', '1', '1.', 'a:', '::', '%', '.:', 'ا'].map((unit) => unit.repeat(million));
  const before = process.cpuUsage();
  for (let times = 0; times < 100; times += 1) for (const text of hostile) expect(maskIp(text)).toBe('…');
  // 900 texts of a megabyte or more. Time on the processor: what else the machine does takes none of it.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000);
});
