import type { HealthAnswer, HealthPath } from '../http-server.ts';
import type { Arrival, Failure, IntakeSettings } from './intake.ts';

/* Messages between the bot and its thread that receives from Slack. Both have the same version, so nothing is parsed. */

/** The data that the thread is started with. */
export interface ThreadData {
  readonly settings: IntakeSettings;
  /** Whether the bot logs at trace level. */
  readonly isTracing: boolean;
  readonly sign: SharedArrayBuffer;
}

/** The thread's steps on request, in this order. */
export type Step = 'open' | 'start';

export type ToThread =
  | { readonly kind: Step }
  | { readonly kind: 'ack'; readonly id: string; readonly answer: unknown }
  | { readonly kind: 'fail'; readonly id: string; readonly why: Failure }
  | { readonly kind: 'health'; readonly id: string; readonly answer: HealthAnswer }
  | { readonly kind: 'stop' };

export type FromThread =
  | { readonly kind: 'arrived'; readonly arrival: Arrival }
  | { readonly kind: 'problem'; readonly problem: string | undefined }
  | { readonly kind: 'health'; readonly id: string; readonly path: HealthPath }
  | { readonly kind: 'opened'; readonly port: number }
  | { readonly kind: 'started' }
  /** A step failed: Slack refuses the token, or the port cannot be opened. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'logged';
      readonly level: 'trace' | 'info' | 'warn' | 'error';
      readonly fields: object;
      readonly text: string;
    };
