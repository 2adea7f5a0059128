import type { Operation } from '@arbiter/contract/operation';
import { type CallAnswer, type CallBody, type CallInput, createSend } from '@arbiter/sdk/caller';
import { boot } from './boot.ts';
import { noteConnection } from './connection.ts';
import { endsSession, failureOf } from './failure.ts';
import { notePace } from './pace.ts';
import { askToSignIn } from './signed-out.ts';

/** Longest wait for an answer, in milliseconds: what works through many rows is given more (docs/design/console.md 8, K8). */
const usualMs = 30_000;
const heavyMs = 130_000;

type Send = ReturnType<typeof createSend>;

let senders: { readonly usual: Send; readonly heavy: Send } | null = null;

/** Says where the server is, once, before anything is called. The session's cookie goes along by itself. */
export function connect(baseUrl: string, fetch?: typeof globalThis.fetch): void {
  // The pages show warnings.
  const options = { baseUrl, onWarning: () => undefined, ...(fetch === undefined ? {} : { fetch }) };
  senders = {
    usual: createSend({ ...options, timeoutMs: usualMs }),
    heavy: createSend({ ...options, timeoutMs: heavyMs }),
  };
}

/**
 * Calls an operation and answers with status, headers and body. Every call of the console goes through here: pacing and the
 * state of the connection learn from each answer. Throws what the SDK throws (see `failureOf`).
 */
async function send<const O extends Operation>(operation: O, input: CallInput<O>): Promise<CallAnswer<CallBody<O>>> {
  if (senders === null) throw new Error('connect() comes before the first call');
  const sender = operation.loadClass === 'heavy' ? senders.heavy : senders.usual;
  try {
    const answer = await sender(operation, input);
    notePace(operation, answer.headers);
    noteConnection(null);
    return { ...answer, body: answer.body as CallBody<O> };
  } catch (error) {
    const failure = failureOf(error);
    // "Not ready" is what that operation is asked for; other calls may be answered all the same.
    if (operation.loadClass !== 'health' || failure.kind === 'unreachable') noteConnection(failure);
    if (boot().authenticated && operation.auth !== 'none' && endsSession(failure)) askToSignIn();
    throw error;
  }
}

/** Calls an operation and answers with its body. */
export async function call<const O extends Operation>(operation: O, input: CallInput<O>): Promise<CallBody<O>> {
  return (await send(operation, input)).body;
}
