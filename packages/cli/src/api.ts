import { type Warning, warningCodes } from '@arbiter/contract';
import { ApiError, type Client, createClient } from '@arbiter/sdk';
import type { Call } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { type Connection, connectionOf } from './settings.ts';

/** What a command does with the body of a success. */
export interface Outcome<Body> {
  /** Lines for people; with `--json` the body itself is printed instead. */
  report(body: Body): void;
  /** Exit code; default 0. */
  codeOf?(body: Body): number;
}

/**
 * Asks the API over the SDK, prints the answer and resolves with the exit code: 1 when the API refused, 3 when it
 * could not be reached. `timeoutMs`: longest time of a call. Throws UsageError when the connection is not configured.
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
    if (error instanceof ApiError) return refused(call, error);
    if (!isNetworkFailure(error)) throw error;
    call.warn(`arbiter: ${connection.url} does not answer: ${reasonOf(error)}`);
    return exitCodes.unreachable;
  }
  for (const { message, suggestion } of warningsIn(body)) {
    call.warn(`arbiter: warning: ${message}${suggestion === null ? '' : ` ${suggestion}`}`);
  }
  if (call.flags.flag('json')) call.print(JSON.stringify(body));
  else outcome.report(body);
  return outcome.codeOf?.(body) ?? exitCodes.ok;
}

/** The warnings of an answer. Other answers have lists of the same name with other entries. */
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

function refused(call: Call, error: ApiError): number {
  if (call.flags.flag('json') && error.problem !== null) call.print(JSON.stringify(error.problem));
  const code = error.code === null ? '' : ` (${error.code})`;
  const message = error.problem?.error.replace(/\.$/, '') ?? 'the answer did not come from Arbiter';
  call.warn(`arbiter: ${message}: ${error.status}${code}`);
  for (const { path, message } of error.errors) call.warn(`  ${path} ${message}`);
  if (error.requestId !== null) call.warn(`  request ${error.requestId}`);
  return exitCodes.refused;
}

/** `fetch` throws a TypeError when there is no answer, and an AbortSignal's TimeoutError when it comes too late. */
export function isNetworkFailure(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'TimeoutError' || error.message === 'fetch failed');
}

/** Why there was no answer, in words. */
export function reasonOf(error: Error): string {
  const cause: unknown = error.cause;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || String(Reflect.get(cause, 'code'));
}
