import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a destination got. */
export interface Got {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A real HTTP server that acts as destinations. Each path answers as the test says. */
export interface TestDestination {
  url(path: string): string;
  /** Requests to the path, oldest first. */
  got(path: string): readonly Got[];
  /** How a path answers. Default: 200. */
  on(path: string, answer: (response: ServerResponse, got: Got) => void): void;
  /** The same for a path with any query. */
  below(path: string, answer: (response: ServerResponse, got: Got) => void): void;
  close(): Promise<void>;
}

export async function startDestination(): Promise<TestDestination> {
  const all: Got[] = [];
  const answers = new Map<string, (response: ServerResponse, got: Got) => void>();
  const anyQuery: typeof answers = new Map();
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const got = { path: request.url ?? '', headers: request.headers, text };
      all.push(got);
      const answer = answers.get(got.path) ?? anyQuery.get(got.path.replace(/\?.*/, ''));
      if (answer === undefined) response.end('ok');
      else answer(response, got);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    got: (path) => all.filter((each) => each.path === path),
    on: (path, answer) => void answers.set(path, answer),
    below: (path, answer) => void anyQuery.set(path, answer),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Server options that let it reach the destinations. */
export const reachesDestinations = { OUTBOUND_HTTP_OK: true, OUTBOUND_ALLOW_CIDRS: ['127.0.0.0/8'] };

/** Answers with this status. */
export const says =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end();
