import type { RecommendRequest } from '@arbiter/contract';
import { derivedId } from '../../../../platform/ids.ts';
import type { CallerFacts, Recommended } from '../caller.ts';
import { type PlacedItem, readItems, rejectionOf, settle } from './item-results.ts';

/** Dependencies of a call with many requests. */
export interface RecommendManyPorts {
  /** Returns a well-formed request. Throws AppError `validation_failed`. */
  readonly read: (request: unknown) => RecommendRequest;
  /**
   * Claims the caller's Idempotency-Key for this call. Returns an id that repeated calls share; null without a key. Throws
   * AppError `idempotency_key_reused` when another call has the key.
   */
  readonly claimCall: (
    caller: CallerFacts,
    route: 'recommend/batch',
    requests: readonly unknown[],
  ) => Promise<string | null>;
  /** Returns those of the request ids that no decision has. */
  readonly newRequests: (caller: CallerFacts, requestIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** `isNew`: no earlier decision has the request's id. */
  readonly recommend: (caller: CallerFacts, body: RecommendRequest, isNew: boolean) => Promise<Recommended>;
}

export interface RecommendedMany {
  /** JSON of a `RecommendBatchAnswer`. */
  readonly json: Buffer;
  /** The playground's remaining quota; null for other tenants. */
  readonly quotaLeft: number | null;
}

/**
 * Requests of one call that run at once: two batches. The tenant's other calls wait for no more than these, and none
 * waits too long for its turn.
 */
const maxAtOnce = 128;

/**
 * Decides requests as if each had been sent alone, in the order given. A rejection becomes the request's result. Any other
 * failure fails the call once all others are done.
 */
export async function recommendMany(
  ports: RecommendManyPorts,
  caller: CallerFacts,
  callId: string,
  requests: readonly unknown[],
): Promise<RecommendedMany> {
  const claim = await ports.claimCall(caller, 'recommend/batch', requests);
  // Bytes, because concatenated strings would survive several collections.
  const results = new Array<Buffer>(requests.length);
  const counts = { decided: 0, replayed: 0, failed: 0 };
  let quotaLeft: number | null = null;
  const reject = (place: number, error: unknown): void => {
    const { status, body } = rejectionOf(error, callId);
    results[place] = resultOf(status, JSON.stringify(body));
    counts.failed += 1;
  };
  const placed = readItems(requests, (request) => ports.read(request), reject).map((item) =>
    withRequestId(item, claim),
  );
  const newIds = new Set(await idsWithoutDecision(ports, caller, placed));
  const alone = { ...caller, idempotencyKey: null };
  const one = async ({ place, body }: PlacedItem<RecommendRequest>): Promise<void> => {
    try {
      // An id that is listed more than once is new only once.
      const isNew = newIds.delete(body.requestId?.toLowerCase() ?? '');
      const { text, replayed, quotaLeft: left } = await ports.recommend(alone, body, isNew);
      results[place] = resultOf(200, text);
      counts[replayed ? 'replayed' : 'decided'] += 1;
      if (left !== null) quotaLeft = Math.min(left, quotaLeft ?? left);
    } catch (error) {
      reject(place, error);
    }
  };
  const next = placed.values();
  const work = async (): Promise<void> => {
    // Workers share the requests: each takes the next one when it's done.
    for (const item of next) await one(item);
  };
  await settle(Array.from({ length: Math.min(maxAtOnce, placed.length) }, work));
  return { json: Buffer.concat([opening, ...withCommas(results), closingOf(counts)]), quotaLeft };
}

const resultOf = (status: number, body: string): Buffer => Buffer.from(`{"status":${status},"body":${body}}`);

const opening = Buffer.from('{"results":[');
const comma = Buffer.from(',');

const withCommas = (results: readonly Buffer[]): Buffer[] =>
  results.flatMap((result, at) => (at === 0 ? [result] : [comma, result]));

const closingOf = (counts: Readonly<Record<'decided' | 'replayed' | 'failed', number>>): Buffer =>
  Buffer.from(`],"decided":${counts.decided},"replayed":${counts.replayed},"failed":${counts.failed}}`);

/**
 * Gives a request without an id one derived from its position in the call, so that a repeated call finds its decision.
 * Decisions outlive Idempotency-Keys: with the id of the claim, a later call under the same key has other ids.
 */
function withRequestId(item: PlacedItem<RecommendRequest>, claim: string | null): PlacedItem<RecommendRequest> {
  if (claim === null || item.body.requestId != null || item.body.dryRun === true) return item;
  return { ...item, body: { ...item.body, requestId: derivedId(`${claim} ${item.place}`) } };
}

/** Looks up all ids at once; each request alone would take a transaction. */
async function idsWithoutDecision(
  { newRequests }: RecommendManyPorts,
  caller: CallerFacts,
  placed: readonly PlacedItem<RecommendRequest>[],
): Promise<Iterable<string>> {
  const ids = placed.flatMap(({ body: { requestId, dryRun } }) =>
    requestId == null || dryRun === true ? [] : [requestId.toLowerCase()],
  );
  return ids.length === 0 ? [] : newRequests(caller, [...new Set(ids)]);
}
