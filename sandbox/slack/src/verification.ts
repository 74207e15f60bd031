import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { HttpDelivery } from './http-delivery.ts';
import type { ServerParts } from './server-parts.ts';

/**
 * Serves `POST /_sandbox/verify`: posts `url_verification` and expects the challenge in the answer, as Slack does when
 * a request URL is entered.
 */
export function serveVerification(
  app: FastifyInstance,
  { world, log }: ServerParts,
  http: HttpDelivery,
): void {
  app.post('/_sandbox/verify', async () => {
    const challenge = randomBytes(24).toString('hex');
    const payload = { token: 'sandbox-verification', challenge, type: 'url_verification' };
    const line = log.add({ direction: 'out', method: 'url_verification', transport: 'http', payload });
    const outcome = await http.post(
      world.settings.requestUrl,
      { kind: 'json', value: payload },
      { secret: world.settings.signingSecret, sentAt: world.now(), timeoutMs: 3000 },
    );
    const answered = outcome.kind === 'answered' && outcome.status === 200 ? outcome.body : undefined;
    const echoed =
      typeof answered === 'object' && answered !== null && 'challenge' in answered
        ? answered.challenge
        : answered;
    const ok = echoed === challenge;
    Object.assign(line, { ok });
    return ok ? { ok } : { ok, error: "The URL didn't respond with the value of the challenge parameter." };
  });
}
