import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';

/** A server of node's, not yet listening. Here, because the module it comes from also calls the outside. */
export function createHttpServer(options: ServerOptions, serve: RequestListener): Server {
  return createServer(options, serve);
}
