import type { Arrival } from './socket-intake.ts';

/* What the bot and its thread that receives from Slack say to each other. Both are of one version: nothing of it is parsed. */

/** What the thread is started with. */
export interface ThreadData {
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  /** Whether the bot logs what is on trace level. */
  readonly isTracing: boolean;
  readonly sign: SharedArrayBuffer;
}

export type ToThread =
  | { readonly kind: 'start' }
  | { readonly kind: 'ack'; readonly id: string; readonly answer: unknown }
  | { readonly kind: 'stop' };

export type FromThread =
  | { readonly kind: 'arrived'; readonly arrival: Arrival }
  | { readonly kind: 'problem'; readonly problem: string | undefined }
  | { readonly kind: 'connected' }
  /** Slack refuses the token. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'logged';
      readonly level: 'trace' | 'info' | 'warn' | 'error';
      readonly fields: object;
      readonly text: string;
    };
