import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PeerRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface PeerAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes as they are, anything else as JSON. Undefined: no body. */
  readonly body?: unknown;
}

export interface HttpPeer {
  /** Without a slash at the end. */
  readonly base: string;
  readonly requests: PeerRequest[];
  close(): void;
}

/** A request that the peer doesn't expect is refused, so that the test sees it. */
function answerOrRefuse(answer: (request: PeerRequest) => PeerAnswer, request: PeerRequest): PeerAnswer {
  try {
    return answer(request);
  } catch (error) {
    return { status: 400, body: String(error) };
  }
}

/** Starts a server that answers as a provider's API does. */
export async function startHttpPeer(answer: (request: PeerRequest) => PeerAnswer): Promise<HttpPeer> {
  const requests: PeerRequest[] = [];
  let base = '';
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const request = {
      ...{ method: incoming.method ?? '', url: new URL(incoming.url ?? '/', base), headers: incoming.headers },
      text: Buffer.concat(parts).toString(),
    };
    requests.push(request);
    const { status = 200, headers = {}, body } = answerOrRefuse(answer, request);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' || Buffer.isBuffer(body) || body === undefined ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base,
    requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
