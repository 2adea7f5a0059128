import type { Operation } from '@arbiter/contract';
import { RawJson } from '../handler.ts';
import type { Check, Checks } from '../input/validation.ts';
import type { UntypedReply } from './answer.ts';

/**
 * Holds handlers to the contract while tests run: the status must be declared, and the body, as the caller will read
 * it, must match its schema. Throws an Error that becomes a 500. Without `compile`, in production, checks nothing.
 */
export function createInspect(operation: Operation, compile: Checks['compile'] | null): (reply: UntypedReply) => void {
  if (compile === null) return () => undefined;
  const checks = new Map<number, Check>();
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response.schema !== null) checks.set(Number(status), compile(response.schema, 'body'));
  }
  return (reply) => {
    const declared = operation.responses[reply.status];
    if (declared === undefined)
      throw new Error(`${operation.id} responded with ${reply.status}, which it doesn't declare`);
    const hasBody = reply.body !== null && reply.body !== undefined;
    if (hasBody !== (declared.schema !== null)) {
      throw new Error(`${operation.id} responded with ${reply.status} ${hasBody ? 'with' : 'without'} a body`);
    }
    if (isEvents(reply.body)) return;
    if (!hasBody || declared.mediaType !== undefined || declared.kind !== undefined) return;
    const sent: unknown = JSON.parse(textOf(reply.body));
    try {
      checks.get(reply.status)?.(sent, 0);
    } catch (error) {
      const found = error instanceof Error ? JSON.stringify(Reflect.get(error, 'errors')) : '';
      throw new Error(`${operation.id} responded with ${reply.status} against its own schema: ${found}`);
    }
  };
}

const isEvents = (body: unknown): boolean => typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

function textOf(body: unknown): string {
  if (!(body instanceof RawJson)) return JSON.stringify(body);
  return typeof body.json === 'string' ? body.json : Buffer.from(body.json).toString('utf8');
}
