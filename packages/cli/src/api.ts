import { type Warning, warningCodes } from '@arbiter/contract';
import { ApiError, type Client, createClient } from '@arbiter/sdk';
import type { Call } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { type Connection, connectionOf } from './settings.ts';

/** What a command does with a successful response. */
export interface Outcome<Body> {
  /** Prints the result; with `--json` the body is printed instead. */
  report(body: Body): void;
  /** Returns the exit code; default 0. */
  codeOf?(body: Body): number;
}

/**
 * Calls the API through the SDK, prints the result and resolves with the exit code: 1 for an API error, 3 when the server
 * is unreachable. `timeoutMs` limits each call. Throws UsageError when the connection isn't configured.
 */
export async function overHttp<Body>(
  call: Call,
  ask: (client: Client) => Promise<Body>,
  outcome: Outcome<Body>,
  options: { readonly timeoutMs?: number } = {},
): Promise<number> {
  const connection = connectionOf(call);
  let body: Body;
  try {
    body = await ask(clientOf(connection, options));
  } catch (error) {
    if (error instanceof ApiError) return reportError(call, error);
    if (!isNetworkFailure(error)) throw error;
    call.warn(`arbiter: can't reach ${connection.url}: ${reasonOf(error)}`);
    return exitCodes.unreachable;
  }
  for (const { message, suggestion } of warningsIn(body)) {
    call.warn(`arbiter: warning: ${message}${suggestion === null ? '' : ` ${suggestion}`}`);
  }
  if (call.flags.flag('json')) call.print(JSON.stringify(body));
  else outcome.report(body);
  return outcome.codeOf?.(body) ?? exitCodes.ok;
}

/** Returns the warnings of a response. Some responses use the same property for other entries. */
function warningsIn(body: unknown): readonly Pick<Warning, 'message' | 'suggestion'>[] {
  const warnings: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'warnings') : null;
  if (!Array.isArray(warnings)) return [];
  return warnings.filter((entry: Partial<Warning> | null) => warningCodes.some((code) => code === entry?.code));
}

function clientOf({ url, apiKey, tenantId }: Connection, options: { readonly timeoutMs?: number }): Client {
  return createClient({
    baseUrl: url,
    apiKey,
    // `overHttp` prints the warnings of the answer that a command reports; a command's earlier calls would repeat them.
    onWarning: () => undefined,
    ...options,
    ...(tenantId === undefined ? {} : { tenantId }),
  });
}

function reportError(call: Call, error: ApiError): number {
  if (call.flags.flag('json') && error.problem !== null) call.print(JSON.stringify(error.problem));
  const code = error.code === null ? '' : ` (${error.code})`;
  const message = error.problem?.error.replace(/\.$/, '') ?? "the response didn't come from Arbiter";
  call.warn(`arbiter: ${message}: ${error.status}${code}`);
  for (const { path, message } of error.errors) call.warn(`  ${path} ${message}`);
  if (error.requestId !== null) call.warn(`  request ${error.requestId}`);
  return exitCodes.refused;
}

/** Whether an error is a network failure: a TypeError of `fetch`, or the TimeoutError of an AbortSignal. */
export function isNetworkFailure(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'TimeoutError' || error.message === 'fetch failed');
}

/** Returns the reason of a network failure. */
export function reasonOf(error: Error): string {
  const cause: unknown = error.cause;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || String(Reflect.get(cause, 'code'));
}
