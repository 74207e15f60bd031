import type { RateLimiter } from '../../store/rate-limiter.ts';
import type { ViewBudget } from './focus-frame.ts';

/** How many calls of views.update a minute are left to what people cannot do without; Slack takes 100 and more. */
const dispensableUntil = 70;

/** Creates the budget of what reviewers can do without, so that ten of them at once stay within Slack's limit. */
export function createViewBudget(rateLimiter: RateLimiter): ViewBudget {
  return {
    async mayUpdate(workspace) {
      return (await rateLimiter.count({ workspace, method: 'views.update' })) <= dispensableUntil;
    },
  };
}
