// A proxy for a server whose public address has a path, like nginx: it removes the path or keeps it.
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

export interface PrefixProxy {
  /** Forwards requests without the prefix, with it, or closes every connection. */
  mode: 'strips' | 'keeps' | 'silent';
  /** Requested paths outside the prefix; must be empty. */
  readonly strays: readonly string[];
  close(): Promise<void>;
}

/**
 * Listens on a port and hands on to another one.
 *
 * @param prefix path of the public address, without a slash at its end: `/arbiter`
 */
export async function startPrefixProxy(port: number, prefix: string, target: number): Promise<PrefixProxy> {
  const strays: string[] = [];
  // A connection per request: a restarted server has closed the old ones.
  const agent = new Agent({ keepAlive: false });
  const server = createServer();
  const proxy: PrefixProxy = {
    mode: 'strips',
    strays,
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url = '/', method, headers } = incoming;
    if (proxy.mode === 'silent') {
      incoming.socket.destroy();
      return;
    }
    const rest = url.slice(prefix.length);
    if (!url.startsWith(prefix) || !(rest === '' || rest.startsWith('/') || rest.startsWith('?'))) {
      strays.push(url);
      outgoing.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
      return;
    }
    const path = proxy.mode === 'keeps' ? url : rest.startsWith('/') ? rest : `/${rest}`;
    const handed = request({ host: '127.0.0.1', port: target, path, method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    handed.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
    });
    outgoing.on('close', () => handed.destroy());
    incoming.pipe(handed);
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  return proxy;
}
