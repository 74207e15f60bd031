/**
 * How long a test waits for what it expects before it fails. On a person's machine a failure is to be seen soon; CI's
 * machine may be busy. Tests that depend on durations measure them.
 */
export const patienceMs = process.env.CI ? 60_000 : 15_000;
