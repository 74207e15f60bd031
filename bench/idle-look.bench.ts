import { startMachine } from './machine.ts';

// An idle look costs as many marketplace requests with 1,000 campaigns as with one: two.

async function requestsPerLook(campaigns: number): Promise<number> {
  const machine = await startMachine();
  try {
    const { marketplace } = machine;
    await marketplace.reset({
      campaigns: [{ title: 'Photo of a shelf', status: 'RUNNING', repeat: campaigns }],
    });
    await machine.startBot();
    await marketplace.clearRequests();
    const looksOf = (requests: { path: string }[]) =>
      requests.filter(({ path }) => path.includes('list_extend')).length;
    let requests = await marketplace.requests();
    while (looksOf(requests) < 6) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      requests = await marketplace.requests();
    }
    // From one look to the next, whole looks only.
    const starts = requests.flatMap(({ path, n }) => (path.includes('list_extend') ? [n] : []));
    const [first = 0] = starts;
    const last = starts.at(-1) ?? 0;
    const between = requests.filter(({ n }) => n >= first && n < last).length;
    return between / (starts.length - 1);
  } finally {
    await machine.stop();
  }
}

const one = await requestsPerLook(1);
const thousand = await requestsPerLook(1_000);
console.log(`requests of an idle look: ${one} with 1 campaign, ${thousand} with 1,000`);
console.log(`ratio: ${(thousand / one).toFixed(2)} (must be 1)`);
if (one !== 2 || thousand !== 2) process.exitCode = 1;
