import type { EndpointMapping, EndpointQuestion, ExternalAnswer, JsonObject } from '@arbiter/engine';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import type { ReadyEndpoint } from './endpoint.service.ts';
import { readEndpointAnswer } from './endpoint-answer.rules.ts';

const largestAnswerBytes = 64 * 1024;

/** What an endpoint is sent (docs/design/api-decisioning.md 15). */
export interface EndpointBody extends EndpointQuestion {
  readonly requestId: string;
  readonly customerId: string | null;
  /** Null for a score outside a decision. */
  readonly decisionFlowId: string | null;
}

/** Asks an endpoint once. Never fails: no answer is an answer too. Nothing but scores is kept of the other side. */
export async function callEndpoint(
  outbound: Pick<Outbound, 'call'>,
  { url, headers }: ReadyEndpoint,
  body: EndpointBody,
  mapping: EndpointMapping,
  timeoutMs: number,
): Promise<ExternalAnswer> {
  try {
    const { status, body: answer } = await outbound.call(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      timeoutMs: Math.ceil(timeoutMs),
      maxBytes: largestAnswerBytes,
      anyPort: true,
    });
    if (status < 200 || status > 299) return { error: `status_${status}` };
    const candidateIds = new Set(body.candidates.map(({ id }) => id));
    return readEndpointAnswer(answer.toString('utf8'), mapping, candidateIds) ?? { error: 'invalid_answer' };
  } catch (error) {
    if (error instanceof OutboundError) return { error: error.reason };
    throw error;
  }
}

/** Returns the scores of an answer by offer, as a decision gives them to the model; empty without an answer. */
export const scoresIn = (answer: ExternalAnswer): JsonObject =>
  'error' in answer ? {} : Object.fromEntries(answer.candidates.map(({ offerId, score }) => [offerId, score]));
