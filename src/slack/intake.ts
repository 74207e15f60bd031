import type { HealthCheck } from '../http-server.ts';
import type { Log } from './slack-logger.ts';

/** What Slack has sent. */
export interface Arrival {
  /** By which it is acked. */
  readonly id: string;
  readonly body: Record<string, unknown>;
  readonly retryNum: number | undefined;
  readonly retryReason: string | undefined;
  /** Whether it was acked as it came: nobody waits for an answer to it. */
  readonly isAcked: boolean;
}

/** How Slack reaches the bot. */
export type IntakeSettings = SocketSettings | HttpSettings;

export interface SocketSettings {
  readonly mode: 'socket';
  readonly appToken: string;
  readonly apiUrl: string | undefined;
}

export interface HttpSettings {
  readonly mode: 'http';
  readonly signingSecret: string;
  readonly port: number;
  /** The address on which the port is opened; absent: all of this machine's. */
  readonly host?: string;
}

export interface IntakeParts {
  readonly log: Log;
  /** Whether the bot takes up what is handed to it: while it does not, nothing is acked before it has. By default it does. */
  readonly isAtWork?: () => boolean;
}

/** Who takes up what arrives. */
export interface IntakeListener {
  readonly arrived: (arrival: Arrival) => void;
  /** Why nothing can be received from now on, as a sentence; undefined when it can. */
  readonly problem: (problem: string | undefined) => void;
  /** Answers the health checks on the port. */
  readonly health: HealthCheck;
}

/** Why an arrival gets no answer: `not stored` has Slack deliver it again, if it is an event. */
export type Failure = 'not stored' | 'not processed';

/** Receives what Slack sends, and acks it. */
export interface Intake {
  /**
   * Opens the port, with HTTP only, and resolves to its number. Health checks are answered from then on. Throws UserError when it
   * cannot be opened.
   */
  open?(): Promise<number>;
  /**
   * Takes Slack's requests from now on; over a socket, connects, and resolves at the first connection. Throws UserError when Slack
   * refuses the app-level token.
   */
  start(): Promise<void>;
  /** Acks an arrival that was not acked as it came, with the answer that Slack shows, if any. */
  ack(id: string, answer?: unknown): void;
  /** Says that there will be no answer to an arrival, as far as the transport can say so. */
  fail(id: string, why: Failure): void;
  /** Stops receiving; over HTTP, once those that wait for an answer have it, and closes the port. */
  stop(): Promise<void>;
}
