import { createHash } from 'node:crypto';
import type { RespondRequest } from '@arbiter/contract';
import { canonicalJson } from '@arbiter/engine';
import { invalid } from '../../../../platform/app-error.ts';
import { assertBytes, type CallFacts, isAnonymous, readCustomerId } from '../recommend/recommend.rules.ts';

/** A response after defaults and aliases (docs/design/api-decisioning.md 3). */
export interface RespondCall {
  readonly customerId: string | null;
  readonly interactionId: string | null;
  readonly recommendationId: string | null;
  readonly rank: number | null;
  readonly creativeId: string | null;
  readonly offerId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly outcome: string;
  readonly conversionValue: number | null;
  readonly currency: string | null;
  readonly direction: 'inbound' | 'outbound' | null;
  /** As sent, or empty. Part of the derived key. */
  readonly timestampSent: string;
  /** Epoch ms of the event; null: the caller named none, and it happens when it is recorded. */
  readonly at: number | null;
  /** Epoch ms at which the call came in. */
  readonly receivedAt: number;
  readonly attributes: string | null;
  readonly context: string | null;
  readonly details: string | null;
  readonly explicitKey: string | null;
  readonly payloadHash: Buffer;
}

const objectBytes = 8 * 1024;
const dayMs = 86_400_000;

/** Normalises the body. Throws AppError 400 with the path of the value. */
export function readRespondCall(
  body: RespondRequest,
  headerKey: string | null,
  now: number,
  facts: Pick<CallFacts, 'ip' | 'userAgent' | 'anonymousKey'>,
): RespondCall {
  const outcome = body.outcome ?? body.interactionType;
  if (outcome === undefined) throw invalid('/outcome', 'is required');
  if (body.outcome !== undefined && body.interactionType !== undefined && body.outcome !== body.interactionType) {
    throw invalid('/interactionType', 'must be the same as outcome');
  }
  if (headerKey !== null && body.idempotencyKey !== undefined && headerKey !== body.idempotencyKey) {
    throw invalid('/idempotencyKey', 'must be the same as the header Idempotency-Key');
  }
  const named = [body.interactionId, body.recommendationId, body.creativeId, body.offerId];
  if (named.every((value) => value == null)) {
    throw invalid('', 'one of interactionId, recommendationId, creativeId, offerId is required');
  }
  const at = body.timestamp === undefined ? null : readTimestamp(body.timestamp, now);
  const objects = [
    ['/attributes', body.attributes],
    ['/context', body.context],
    ['/outcomeDetails', body.outcomeDetails],
  ] as const;
  for (const [path, value] of objects) if (value !== undefined) assertBytes(path, value, objectBytes);
  const byRecommendation = body.interactionId != null || body.recommendationId != null;
  if (body.customerId === undefined && !byRecommendation) throw invalid('/customerId', 'is required');
  // A report on a recommendation without a customer means the recommendation's customer: an anonymous id, derived from
  // a session or an address, can't be derived again from where the response comes from.
  const isLeftOut = byRecommendation && isAnonymous(body.customerId);
  const { idempotencyKey, ...payload } = body;
  return {
    customerId: isLeftOut ? null : readCustomerId(body.customerId, null, facts).id,
    interactionId: lower(body.interactionId),
    recommendationId: lower(body.recommendationId),
    rank: body.rank ?? null,
    creativeId: lower(body.creativeId),
    offerId: lower(body.offerId),
    channelId: lower(body.channelId),
    placementId: lower(body.placementId),
    outcome,
    conversionValue: body.conversionValue ?? null,
    currency: body.currency ?? null,
    direction: body.direction ?? null,
    timestampSent: body.timestamp ?? '',
    at,
    receivedAt: now,
    attributes: body.attributes === undefined ? null : JSON.stringify(body.attributes),
    context: body.context === undefined ? null : JSON.stringify(body.context),
    details: body.outcomeDetails === undefined ? null : JSON.stringify(body.outcomeDetails),
    explicitKey: headerKey ?? idempotencyKey ?? null,
    payloadHash: digest(canonicalJson(JSON.parse(JSON.stringify(payload)))),
  };
}

function readTimestamp(timestamp: string, now: number): number {
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) throw invalid('/timestamp', 'must be an instant');
  if (at < 0 || at > now + dayMs) throw invalid('/timestamp', 'must be between 1970 and 24 hours from now');
  return at;
}

/** The resolved customer and item of a response. */
export interface RespondSubject {
  readonly customerId: string;
  /** The item of a recommendation; null for a contact without one. */
  readonly itemId: string | null;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
}

/**
 * Returns the keys under which a response may be stored, preferred first: the explicit one per credential and route,
 * otherwise one derived from what makes two responses the same event, otherwise none. Items can be named in several
 * ways, so the key uses what they resolve to. Another value, or another channel of a contact, makes another event.
 * `customers`: the customer's keyed hashes, newest first. Keys outlive an erasure, so nobody may find out by trying
 * whether one was made of a customer's id.
 */
export function responseKeys(
  call: RespondCall,
  credentialId: string,
  subject: RespondSubject,
  direction: 'inbound' | 'outbound',
  customers: readonly Buffer[],
): readonly Buffer[] {
  if (call.explicitKey !== null) return [digestOf('explicit', credentialId, 'respond', call.explicitKey)];
  const event = [call.outcome, call.timestampSent, call.conversionValue, call.currency, direction];
  if (subject.itemId !== null) return [digestOf('item', subject.itemId, ...event)];
  // Two contacts without an instant can't be distinguished.
  if (call.timestampSent === '') return [];
  const { creativeId, offerId, channelId, placementId } = subject;
  const what = creativeId === null ? [offerId, channelId, placementId] : [creativeId];
  return customers.map((customer) => digestOf('contact', customer.toString('hex'), ...what, ...event));
}

/** Returns the key under which a call of many items is stored. */
export const callKey = (credentialId: string, route: string, idempotencyKey: string): Buffer =>
  digestOf('explicit', credentialId, route, idempotencyKey);

const digestOf = (...parts: readonly (string | number | null)[]): Buffer => digest(JSON.stringify(parts));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const lower = (value: string | null | undefined): string | null => value?.toLowerCase() ?? null;
