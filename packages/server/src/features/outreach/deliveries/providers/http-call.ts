import { AppError } from '../../../../platform/app-error.ts';
import type { Outbound, OutboundAnswer } from '../../../../platform/outbound/outbound.ts';
import { OutboundError } from '../../../../platform/outbound/outbound-error.ts';
import { rejected, rejectedMessage, type SendOutcome } from '../message.ts';

export interface ProviderCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly anyPort?: boolean;
}

/** Statuses that say "not now" or name something that an operator can correct, such as a revoked key. */
const worthRetrying = [401, 403, 408, 425, 429];

/** Failures of calls that never reached the other side. */
const neverSent = ['forbidden_url', 'forbidden_port', 'forbidden_address', 'unresolved'];

/**
 * Posts to a provider once. Returns the 2xx answer, or the result of the attempt. Never throws for what the other side does.
 */
export async function post(
  outbound: Pick<Outbound, 'call'>,
  now: Date,
  { url, headers, body, timeoutMs, anyPort = false }: ProviderCall,
): Promise<OutboundAnswer | SendOutcome> {
  try {
    const answer = await outbound.call(url, { method: 'POST', headers, body, timeoutMs, anyPort });
    if (answer.status >= 200 && answer.status < 300) return answer;
    return failureOf(answer, now);
  } catch (error) {
    if (error instanceof AppError) return rejected('not_configured');
    if (!(error instanceof OutboundError)) throw error;
    if (neverSent.includes(error.reason) || isRefusedConnection(error)) return rejectedMessage(error.reason);
    // A long answer is an answer: what came before it may have been accepted.
    return { kind: 'unknown', error: error.reason };
  }
}

/** True for an attempt that already has an outcome. */
export const isOutcome = (answer: OutboundAnswer | SendOutcome): answer is SendOutcome => 'kind' in answer;

/** Returns the JSON object of an answer; empty if it is something else. */
export function jsonOf({ body }: OutboundAnswer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function failureOf({ status, headers }: OutboundAnswer, now: Date): SendOutcome {
  const error = `responded_with_${status}`;
  // A gateway lost the response of the server behind it.
  if (status === 502 || status === 504) return { kind: 'unknown', error };
  if (status < 500 && !worthRetrying.includes(status)) return rejected(error);
  return rejectedMessage(error, retryAfterSeconds(headers['retry-after'], now));
}

/** Reads `Retry-After`: seconds, or an HTTP date (RFC 9110 section 10.2.3). Null if it is neither. */
export function retryAfterSeconds(text: string | undefined, now: Date): number | null {
  const value = text?.trim() ?? '';
  if (/^[0-9]{1,6}$/.test(value)) return Number(value);
  const at = /^[A-Z][a-z]{2},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(999_999, Math.max(0, Math.ceil((at - now.getTime()) / 1000)));
}

function isRefusedConnection(error: OutboundError): boolean {
  for (let each: unknown = error.cause; each instanceof Error; each = each.cause) {
    const code: unknown = Reflect.get(each, 'code');
    if (['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'].includes(String(code))) return true;
  }
  return false;
}
