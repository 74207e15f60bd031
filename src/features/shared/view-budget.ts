import type { RateLimiter } from '../../store/rate-limiter.ts';
import type { ViewBudget } from './focus-frame.ts';

/** Calls of views.update per minute after which the rest is reserved for essential updates; Slack takes 100 and more. */
const dispensableCallsPerMinute = 70;

/** Creates the budget for dispensable updates, so that ten simultaneous reviewers stay within Slack's limit. */
export function createViewBudget(rateLimiter: RateLimiter): ViewBudget {
  return {
    async mayUpdate(workspace) {
      return (await rateLimiter.count({ workspace, method: 'views.update' })) <= dispensableCallsPerMinute;
    },
  };
}
