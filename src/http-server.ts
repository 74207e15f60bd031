import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { messageOf } from './errors.ts';
import type { Logger } from './logger.ts';

/** The one path at which Slack's requests arrive. */
const slackPath = '/slack/events';

/**
 * Returns the listener for everything that arrives on the process's port: Slack's requests where it takes them, health
 * and a 404 otherwise. Every request is answered, and none ends the process: Bolt's own listener throws for a method or
 * path that it does not serve.
 * @param routes.slack returns Bolt's listener, or undefined in Socket Mode and until the app is connected
 */
export function createRequestListener(routes: {
  readonly health: RequestListener;
  readonly slack: () => RequestListener | undefined;
  readonly logger: Pick<Logger, 'error'>;
}): RequestListener {
  return (request, response) => {
    const listener = request.url?.split('?')[0] === slackPath ? routes.slack() : undefined;
    try {
      if (listener === undefined) routes.health(request, response);
      else if (request.method !== 'POST') refuse(response, 405, 'Slack sends its requests here by POST.');
      else listener(request, response);
    } catch (error) {
      routes.logger.error({ reason: messageOf(error) }, 'a request could not be handled');
      if (!response.headersSent) refuse(response, 400, 'The request cannot be handled.');
      else response.destroy();
    }
  };
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  const allow = status === 405 ? { allow: 'POST' } : {};
  response.writeHead(status, { 'content-type': 'text/plain', ...allow }).end(`${sentence}\n`);
}

/**
 * Opens the process's port. Rejects when it is taken.
 * @returns the port it listens on, and how to close it with all its connections
 */
export async function listen(
  port: number,
  listener: RequestListener,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const deadline = setTimeout(() => server.closeAllConnections(), 2_000);
      await closed;
      clearTimeout(deadline);
    },
  };
}
