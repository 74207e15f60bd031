// Loaded before a program with `node --import`: shifts its clock (Date) by the milliseconds in a file, which a test may
// change at any time. Timers and performance.now() are unaffected, as when a machine's clock is set.
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_OFFSET_FILE;
if (!file) throw new Error('CLOCK_OFFSET_FILE names no file');

const RealDate = Date;
const realNow = Date.now;
const readEveryMs = 20;
let offset = 0;
let readAt = Number.NEGATIVE_INFINITY;

function now() {
  if (performance.now() - readAt >= readEveryMs) {
    readAt = performance.now();
    offset = Number(readFileSync(file, 'utf8'));
  }
  return realNow() + offset;
}

RealDate.now = now;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
});
