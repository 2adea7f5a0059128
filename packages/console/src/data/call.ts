import type { Operation } from '@arbiter/contract/core/operation';
import { type CallAnswer, type CallBody, type CallerOptions, type CallInput, createSend } from '@arbiter/sdk/caller';
import { boot } from './boot.ts';
import { noteConnection } from './connection.ts';
import { endsSession, failureOf } from './failure.ts';
import { notePace } from './pace.ts';
import { askToSignIn } from './signed-out.ts';

/** Timeout of calls, in milliseconds. Calls that work through many rows get more (docs/design/console.md, section 8, K8). */
const defaultTimeoutMs = 30_000;
const heavyMs = 130_000;
/** File uploads take as long as the network needs. */
const fileMs = 900_000;

type Send = ReturnType<typeof createSend>;

let senders: { readonly usual: Send; readonly heavy: Send; readonly file: Send } | null = null;
/** Address of the server, and its `fetch` in tests. Streams use them, too. */
export let server: Pick<CallerOptions, 'baseUrl' | 'fetch'> = { baseUrl: '' };

/** Sets the server's address, once, before the first call. The browser sends the session cookie itself. */
export function connect(baseUrl: string, fetch?: typeof globalThis.fetch): void {
  // The pages show warnings.
  server = { baseUrl, ...(fetch === undefined ? {} : { fetch }) };
  const options = { ...server, onWarning: () => undefined };
  senders = {
    usual: createSend({ ...options, timeoutMs: defaultTimeoutMs }),
    heavy: createSend({ ...options, timeoutMs: heavyMs }),
    file: createSend({ ...options, timeoutMs: fileMs }),
  };
}

/**
 * Calls an operation and returns status, headers and body. Every call of the console goes through here, so that pacing and
 * connection state learn from each response. Throws what the SDK throws (see `failureOf`).
 */
async function send<const O extends Operation>(operation: O, input: CallInput<O>): Promise<CallAnswer<CallBody<O>>> {
  if (senders === null) throw new Error('connect() comes before the first call');
  const takesFile = operation.fileTypes !== undefined || operation.bodyKind === 'multipart';
  const sender = takesFile ? senders.file : operation.loadClass === 'heavy' ? senders.heavy : senders.usual;
  try {
    const answer = await sender(operation, input);
    notePace(operation, answer.headers);
    noteConnection(null);
    return { ...answer, body: answer.body as CallBody<O> };
  } catch (error) {
    const failure = failureOf(error);
    // "Not ready" is a valid result of this operation; other calls may still succeed.
    if (operation.loadClass !== 'health' || failure.kind === 'unreachable') noteConnection(failure);
    if (boot().authenticated && operation.auth !== 'none' && endsSession(failure)) askToSignIn();
    throw error;
  }
}

/** Calls an operation and returns its body. */
export async function call<const O extends Operation>(operation: O, input: CallInput<O>): Promise<CallBody<O>> {
  return (await send(operation, input)).body;
}
