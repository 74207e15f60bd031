interface LogLine {
  readonly delivery?: string;
  readonly msg: string;
  readonly what?: string;
  readonly task?: string;
  readonly endpoint?: string;
}

/** What the log says of a NOK, from the press in its form to the marketplace's answer. */
export const sentNok = [
  'interaction received task.reason',
  'audit decided',
  'marketplace request rateTask',
  'audit applied',
];

/** Returns what the log says about the delivery that decided on a task, in order. */
export function followed(log: string, task: string) {
  const lines = log.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LogLine]));
  const decided = lines.find(
    ({ msg, what, task: of }) => msg === 'audit' && what === 'decided' && of === task,
  );
  const delivery = decided?.delivery ?? '';
  const own = lines.filter(({ delivery: ids = '' }) => ids.split(' ').includes(delivery));
  return { delivery, said: own.map(({ msg, what, endpoint }) => [msg, what ?? endpoint].join(' ').trim()) };
}
