/**
 * The codes with which Redis refuses a command without doing any of it, and the reasons as shown to people. A script is
 * refused as a whole too: Redis checks this at the script's first write, and lets a script that has already written
 * continue.
 */
const refusals: Readonly<Record<string, string>> = {
  OOM: 'its memory is full',
  MISCONF: 'it cannot write to its disk',
  READONLY: 'it is a replica, which takes no changes',
  NOREPLICAS: 'its replicas are missing',
  LOADING: 'it is still loading its data',
  MASTERDOWN: 'it has lost its primary',
  CLUSTERDOWN: 'its cluster is not complete',
  TRYAGAIN: 'its cluster is moving data',
  BUSY: 'it is busy with a script',
  NOAUTH: 'it asks for a password',
  WRONGPASS: 'it does not accept the password',
  NOPERM: 'it does not give Proofdesk the right to do this',
};

const codes = Object.keys(refusals).join('|');
const refusedCommand = new RegExp(`^(${codes})\\b`);
/** How Redis 6 reports a command that was refused within a script. */
const refusedScript = new RegExp(`^ERR Error running script .*: -?(${codes})\\b`);

/** Messages of ioredis about lost connections, and of Redis about connections that it ends. */
const connectionLost =
  /^(Command timed out|Connection is closed|Connection is not available|Stream isn't writeable|Cluster isn't ready|None of startup nodes|All sentinels are unreachable|Too many Cluster redirections|UNBLOCKED |ERR max number of clients|(connect|read|write) E[A-Z]+)/;

/** Returns the code with which Redis refused a command without doing any of it; undefined for any other error. */
export function refusalCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return (refusedCommand.exec(error.message) ?? refusedScript.exec(error.message))?.[1];
}

/** Returns the reason for a refusal code, to follow "because". */
export function refusalReason(code: string): string {
  return refusals[code] ?? 'it refuses commands';
}

/** Returns whether a command failed because Redis is unreachable or does not serve, not because of the command. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === 'MaxRetriesPerRequestError' ||
    connectionLost.test(error.message) ||
    refusalCode(error) !== undefined
  );
}
