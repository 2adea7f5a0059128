import { createHmac, type KeyObject } from 'node:crypto';
import type { RecommendRequest } from '@arbiter/contract';
import type { DecisionRequest, Json, TargetProblem } from '@arbiter/engine';
import { AppError, invalid } from '../../../../platform/app-error.ts';

/**
 * A recommend request after defaults, aliases and rules that a schema can't express (docs/design/api-decisioning.md 2).
 */
export interface RecommendCall {
  readonly request: DecisionRequest;
  readonly anonymous: boolean;
  /** Key or id of the requested flow; null: resolve it. */
  readonly flow: string | null;
  readonly debug: boolean;
  /** Lowest catalogue version that may decide; 0: the newest there is. The profile is always read again. */
  readonly minConfigVersion: number;
  /** The client chose the requestId, so it's an idempotency key. */
  readonly clientRequestId: boolean;
}

export interface CallFacts {
  readonly ip: string;
  readonly userAgent: string;
  /** Key of the tenant's anonymous ids. */
  readonly anonymousKey: () => KeyObject;
  /** Makes the requestId when the client sent none. */
  readonly newRequestId: () => string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;
const maxLimit = 50;
const contextBytes = 8 * 1024;
const attributesBytes = 64 * 1024;
const attributesDepth = 5;

/**
 * Normalizes the body. IDs come out in lower case, as stored (docs/design/api-access.md 1). Throws AppError
 * `validation_failed` with the path of the value.
 */
export function readRecommendCall(body: RecommendRequest, facts: CallFacts): RecommendCall {
  if (body.placement != null && body.placements != null)
    throw invalid('/placement', "can't be combined with placements");
  const placements =
    body.placements?.map((p) => ({ placementId: p.placementId.toLowerCase(), limit: p.limit ?? null })) ?? null;
  if (placements !== null) {
    const seen = new Set<string>();
    placements.forEach((p, i) => {
      if (seen.has(p.placementId)) throw invalid(`/placements/${i}/placementId`, 'is listed more than once');
      seen.add(p.placementId);
    });
  }
  if (body.context !== undefined) assertBytes('/context', body.context, contextBytes);
  if (body.attributes !== undefined) {
    assertBytes('/attributes', body.attributes, attributesBytes);
    if (depthOf(body.attributes) > attributesDepth)
      throw invalid('/attributes', `must be nested at most ${attributesDepth} levels deep`);
  }
  const limit = body.limit ?? body.maxOffers ?? null;
  const customer = readCustomerId(body.customerId, body.sessionId ?? null, facts);
  return {
    anonymous: customer.anonymous,
    flow: body.decisionFlowKey ?? body.flowId ?? body.decisionFlowId ?? null,
    debug: body.debug ?? false,
    minConfigVersion: body.require?.minConfigVersion ?? 0,
    clientRequestId: body.requestId != null,
    request: {
      requestId: body.requestId?.toLowerCase() ?? facts.newRequestId(),
      customerId: customer.id,
      channel: body.channel ?? null,
      channelId: body.channelId?.toLowerCase() ?? null,
      placement: placementOf(body.placement ?? null),
      placements,
      deduplicate: body.deduplicate ?? false,
      limit: limit === null ? null : Math.min(limit, maxLimit),
      context: asJson(body.context),
      segments: body.segments ?? [],
      attributes: asJson(body.attributes),
      locale: body.locale ?? null,
      currency: body.currency ?? null,
      excludeOffers: body.excludeOffers?.map(lowerCased) ?? [],
      excludeCreatives: body.excludeCreatives?.map(lowerCased) ?? [],
      dryRun: body.dryRun ?? false,
    },
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const lowerCased = (id: string): string => id.toLowerCase();

/** A placement is named by id, or by key, name or slot type, in which the case of letters counts. */
function placementOf(sent: string | null): string | null {
  return sent !== null && uuid.test(sent) ? sent.toLowerCase() : sent;
}

/**
 * Returns true when a customer ID stands for no customer: missing, empty and `anonymous` mean the same
 * (docs/design/api-decisioning.md 2).
 */
export function isAnonymous(sent: string | undefined): boolean {
  return sent === undefined || sent === '' || sent === 'anonymous';
}

/** Checks a customer id, or derives the anonymous one from session or address (docs/design/api-decisioning.md 2). */
export function readCustomerId(
  sent: string | undefined,
  sessionId: string | null,
  facts: Pick<CallFacts, 'ip' | 'userAgent' | 'anonymousKey'>,
): { readonly id: string; readonly anonymous: boolean } {
  if (sent === undefined || isAnonymous(sent)) {
    const source = sessionId === null ? `n:${facts.ip}\n${facts.userAgent}` : `s:${sessionId}`;
    const digest = createHmac('sha256', facts.anonymousKey()).update(source).digest('hex');
    return { id: `anon-${digest.slice(0, 32)}`, anonymous: true };
  }
  assertCustomerId('/customerId', sent);
  return { id: sent, anonymous: false };
}

/** Refuses what no header could confirm later: outer white space and control characters (docs/design/quality.md E20). */
function assertCustomerId(path: string, value: string): void {
  if (value.length > 255 && [...value].length > 255) throw invalid(path, 'must be at most 255 characters');
  if (value !== value.trim()) throw invalid(path, 'must not start or end with white space');
  if (controlCharacter.test(value)) throw invalid(path, 'must not contain control characters');
}

/** Throws for a JSON value whose text is longer than `bytes`. */
export function assertBytes(path: string, value: object, bytes: number): void {
  if (Buffer.byteLength(JSON.stringify(value)) > bytes) throw invalid(path, `must be at most ${bytes / 1024} KB`);
}

/** The engine's answer to a target that isn't a record of the tenant, as a 400. */
export function targetProblem(problem: TargetProblem): AppError {
  return new AppError(problem.code, {
    detail: `${problem.path} ${problem.message}`,
    errors: [{ path: problem.path, message: problem.message }],
  });
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let deepest = 0;
  for (const child of Object.values(value)) deepest = Math.max(deepest, depthOf(child));
  return deepest + 1;
}

/** A body that passed the parser holds JSON only. */
function asJson(value: Record<string, unknown> | undefined): Readonly<Record<string, Json>> {
  return (value ?? {}) as Record<string, Json>;
}
