import { expect, test } from 'vitest';
import { parseRedisAddress } from '../../src/store/redis.ts';

test('an address of neither kind is refused without being repeated', () => {
  expect(() => parseRedisAddress('redis+sentinel://:secret@localhost:26379')).toThrow(/^REDIS_URL must be/);
  expect(parseRedisAddress('rediss+sentinel://bot:pa%3Ass@a:1,[::1]:2/reviews/3')).toEqual({
    kind: 'sentinel',
    sentinels: [
      { host: 'a', port: 1 },
      { host: '::1', port: 2 },
    ],
    name: 'reviews',
    db: 3,
    username: 'bot',
    password: 'pa:ss',
    tls: true,
  });
});
