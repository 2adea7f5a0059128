import { setTimeout as sleep } from 'node:timers/promises';
import type { Outbound, OutboundStream } from '../outbound/outbound.ts';
import { asSourceError, SourceError, statusReason } from './source-error.ts';

const timeoutMs = 30_000;
const maxTries = 4;
const firstPauseMs = 200;

/**
 * Requests an answer of any size. `headers` are recreated for each attempt, because signatures hold the time. Tries again
 * after 429 and 5xx. Throws SourceError for what isn't a success; redirects aren't followed.
 */
export async function answeredCall(
  outbound: Outbound,
  url: string,
  headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>,
  signal: AbortSignal,
): Promise<OutboundStream> {
  for (let attempt = 1; ; attempt++) {
    const own = await headers();
    const answer = await outbound.open(url, { headers: own, timeoutMs, signal }).catch((error: unknown) => {
      throw asSourceError(error);
    });
    const { status } = answer;
    const reason = status >= 300 && status < 400 ? 'unexpected_response' : statusReason(status);
    if (reason === null) return answer;
    // Ends the call.
    for await (const _part of answer.body) break;
    // Azure answers 403 to a wrong signature.
    if (/Authentication/.test(answer.headers['x-ms-error-code'] ?? '')) throw new SourceError('auth_failed');
    if (attempt === maxTries || (status !== 429 && status < 500)) throw new SourceError(reason, { cause: status });
    await sleep(firstPauseMs * 2 ** attempt, null, { signal });
  }
}
