import type { Deliver } from './delivery.ts';
import type { Events } from './events.ts';
import type { Faults } from './faults.ts';
import type { RateLimits } from './limits.ts';
import type { RequestLog } from './log.ts';
import type { Sockets } from './sockets.ts';
import type { ResponseUrls, Triggers } from './tokens.ts';
import type { World } from './world.ts';

/** The dependencies that the routes of the server share. */
export type ServerParts = {
  world: World;
  log: RequestLog;
  faults: Faults;
  limits: RateLimits;
  triggers: Triggers;
  responseUrls: ResponseUrls;
  sockets: Sockets;
  deliver: Deliver;
  events: Events;
};
