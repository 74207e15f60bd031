import type { RequestListener } from 'node:http';

/**
 * What `/healthz` (the process is alive) and `/readyz` (it can do its work) answer.
 * @param reasons why it cannot do its work at present, in words for people; none: it can
 */
export function createHealth(reasons: () => Promise<string[]>): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/healthz')
      return void response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
    if (path !== '/readyz') {
      return void response.writeHead(404, { 'content-type': 'text/plain' }).end('There is nothing here.\n');
    }
    reasons().then(
      (found) => {
        response.writeHead(found.length === 0 ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' });
        response.end(found.length === 0 ? 'ready\n' : `${found.join('\n')}\n`);
      },
      () => response.writeHead(503).end('not ready\n'),
    );
  };
}
