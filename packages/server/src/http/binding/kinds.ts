import { isSignature, namesTenant, type Operation } from '@arbiter/contract';
import type { FastifyReply } from 'fastify';
import type { Lifecycle } from '../lifecycle.ts';

/** Throws for an operation whose parts contradict each other. Runs once at start. */
export function checkKinds(operation: Operation): void {
  const { id, auth, transaction, bodyKind, mediaTypes, fileTypes, idempotent } = operation;
  const problems: string[] = [];
  const inTransaction = transaction === 'tenant';
  if (inTransaction && !namesTenant(auth))
    problems.push('has no credential to determine the tenant of its transaction');
  if ((bodyKind === 'multipart' || bodyKind === 'stream' || fileTypes !== undefined) && inTransaction)
    problems.push('would keep its transaction open while a body is received');
  if (isSignature(auth) && bodyKind !== 'raw') problems.push('has a signature over bytes that its handler never sees');
  if ((bodyKind === 'raw' || bodyKind === 'stream') !== (mediaTypes !== undefined))
    problems.push('must list types if and only if it has a raw body');
  if (eventsOf(operation) !== 'never' && inTransaction)
    problems.push('would keep its transaction open while events are sent');
  if (idempotent === true && isStreaming(operation)) problems.push("has a response that can't be stored");
  if (problems.length > 0) throw new Error(`operation ${id} ${problems.join(', and ')}`);
}

/** Returns true when the body or an answer may still be in transit after the handler was called. */
export function isStreaming(operation: Operation): boolean {
  const hasFiles = Object.values(operation.responses).some(({ kind }) => kind === 'file');
  return (
    operation.bodyKind === 'multipart' ||
    operation.bodyKind === 'stream' ||
    operation.fileTypes !== undefined ||
    hasFiles ||
    eventsOf(operation) !== 'never'
  );
}

/**
 * Returns the operation's events when its answer stays open until one side ends it. `asked`: only for callers that
 * request it with `Accept`.
 */
export function eventsOf({ responses }: Operation): 'always' | 'asked' | 'never' {
  const all = Object.values(responses);
  if (all.some(({ kind }) => kind === 'events')) return 'always';
  return all.some(({ events }) => events !== undefined) ? 'asked' : 'never';
}

/** Returns true for an `Accept` header that names server-sent events without refusing them. */
export function asksForEvents(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** The signal of operations that don't stream. */
export const neverAborted: AbortSignal = new AbortController().signal;

/** Returns a signal that's aborted when the client leaves or the server starts to stop. */
export function signalOf({ raw }: FastifyReply, lifecycle: Lifecycle): AbortSignal {
  const controller = new AbortController();
  const forget = lifecycle.onDrain(() => controller.abort());
  raw.once('close', () => {
    forget();
    controller.abort();
  });
  return controller.signal;
}
