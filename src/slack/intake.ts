import type { HealthCheck } from '../http-server.ts';
import type { ProxySettings } from '../proxy.ts';
import type { Log } from './slack-logger.ts';

/** A payload received from Slack. */
export interface Arrival {
  /** Identifies it for the ack. */
  readonly id: string;
  readonly body: Record<string, unknown>;
  readonly retryNum: number | undefined;
  readonly retryReason: string | undefined;
  /** Whether it was acked on arrival: nobody waits for an answer to it. */
  readonly isAcked: boolean;
}

/** How Slack reaches the bot. */
export type IntakeSettings = SocketSettings | HttpSettings;

export interface SocketSettings {
  readonly mode: 'socket';
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly proxy?: ProxySettings | undefined;
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
  /**
   * Whether the bot processes arrivals: while it does not, nothing is acked before it has been processed. Defaults to true.
   */
  readonly isAtWork?: () => boolean;
}

/** The listener that processes arrivals. */
export interface IntakeListener {
  readonly arrived: (arrival: Arrival) => void;
  /** Called with the reason why nothing can be received from now on, as a sentence; with undefined when it can. */
  readonly problem: (problem: string | undefined) => void;
  /** Answers the health checks on the port. */
  readonly health: HealthCheck;
}

/** Why an arrival gets no answer: `not stored` makes Slack redeliver it, if it is an event. */
export type Failure = 'not stored' | 'not processed';

/** Receives and acks Slack's payloads. */
export interface Intake {
  /**
   * Opens the port, with HTTP only, and resolves to its number. Health checks are answered from then on. Throws UserError
   * when it cannot be opened.
   */
  open?(): Promise<number>;
  /**
   * Accepts Slack's requests from now on; over a socket, connects, and resolves at the first connection. Throws UserError
   * when Slack refuses the app-level token.
   */
  start(): Promise<void>;
  /** Acks an arrival that was not acked on arrival, with the answer that Slack shows, if any. */
  ack(id: string, answer?: unknown): void;
  /** Reports that an arrival will get no answer, as far as the transport allows. */
  fail(id: string, why: Failure): void;
  /** Stops receiving; over HTTP, first waits for pending answers, then closes the port. */
  stop(): Promise<void>;
}
