import type { IncomingMessage } from 'node:http';
import type { Operation } from '@arbiter/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WholeAnswer } from './answers/answer.ts';
import { asksForHtml } from './web-paths.ts';

/** What browsers get at paths without an operation. */
export interface Site {
  /**
   * Answers every such path outside the API when a browser asks for a page. Its path is `/{target}`: path and query as
   * sent. Its handler is among the others.
   */
  readonly page: Operation;
  /** Returns a file by its path, or null. `query`: as sent, without the question mark. */
  file(path: string, acceptEncoding: string, query: string): Promise<WholeAnswer | null>;
  /** Returns true where only files live: a missing one is never a page. */
  isFilePath(path: string): boolean;
}

interface SiteParts {
  readonly site: Site;
  servePage(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  sendFile(request: FastifyRequest, reply: FastifyReply, answer: WholeAnswer): void;
  /** Answers when there's neither a file nor a page. */
  refuse(request: FastifyRequest, reply: FastifyReply): void;
  onError(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * Serves requests that matched no operation: a file, a page, or nothing. Takes requests for which `isForSite` is true.
 */
export function createSiteService({ site, servePage, sendFile, refuse, onError }: SiteParts) {
  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const target = request.raw.url ?? '/';
    const path = pathOf(target);
    const file = await site.file(path, String(request.headers['accept-encoding'] ?? ''), queryOf(target));
    if (file !== null) return sendFile(request, reply, file);
    if (site.isFilePath(path) || !asksForHtml(request.headers.accept ?? '')) return refuse(request, reply);
    request.params = { target };
    return servePage(request, reply);
  }
  return (request: FastifyRequest, reply: FastifyReply): void => {
    serve(request, reply).catch((error: unknown) => onError(error, request, reply));
  };
}

/** Returns true for a request that may get a file or a page: it reads, and its path isn't below `/api`. */
export function isForSite(request: IncomingMessage): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const path = pathOf(request.url ?? '/');
  return path !== '/api' && !path.startsWith('/api/');
}

const queryOf = (target: string): string => target.slice(pathOf(target).length + 1);
const pathOf = (target: string): string => target.split('?', 1)[0] ?? target;
