import { hash } from 'node:crypto';
import type { RecommendRequest } from '@arbiter/contract';
import { canonicalJson } from '@arbiter/engine';
import { type Database, DatabaseError, systemActor, type Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import type { CustomerKeys } from '../../customer-states/index.ts';
import type { CatalogueCache } from '../../plans/index.ts';
import { requestContext, unseal } from '../../sealed-records/index.ts';
import type { CallerFacts, Recommended } from '../caller.ts';
import { findRequest } from '../requests.store.ts';
import { readQuotaLeft } from './playground-quota.ts';

export interface RepeatPorts {
  readonly database: Database;
  readonly catalogues: CatalogueCache;
  readonly keys: CustomerKeys;
}

/** Hash of a request's content: it stays the same whatever the case of its `requestId`, and with `debug`. */
export function payloadHashOf({ debug: _, requestId: __, ...payload }: RecommendRequest): Buffer {
  return hash('sha256', canonicalJson(JSON.parse(JSON.stringify(payload))), 'buffer');
}

/** A request with a client-chosen requestId. */
export interface NamedRequest {
  readonly requestId: string;
  readonly payloadHash: Buffer;
  /** No earlier call has this id. If another call takes it first, the commit notices. */
  readonly isNew: boolean;
}

/** Decides a request with a client-chosen requestId, or returns the answer that an earlier call got. */
export type DecideOnce = (
  caller: CallerFacts,
  request: NamedRequest,
  decideNow: (payloadHash: Buffer) => Promise<Recommended>,
) => Promise<Recommended>;

export function createDecideOnce(ports: RepeatPorts): DecideOnce {
  /** Client-chosen requestIds that this process is deciding now. */
  const inFlight = new Set<string>();
  return async ({ tenantId, until }, { requestId, payloadHash, isNew }, decideNow) => {
    const earlierAnswer = () => readEarlierAnswer(ports, tenantId, requestId, payloadHash, until);
    const lock = `${tenantId} ${requestId}`;
    if (inFlight.has(lock)) {
      // What's in flight may be another repeat of a call that was answered long ago.
      const earlier = await earlierAnswer();
      if (earlier !== null) return earlier;
      throw new AppError('idempotency_in_progress');
    }
    inFlight.add(lock);
    try {
      const earlier = isNew ? null : await earlierAnswer();
      if (earlier !== null) return earlier;
      return await decideNow(payloadHash);
    } catch (error) {
      // The twin on another node was first. Its answer is there now, because we waited for its commit.
      const twin = isRequestTaken(error) ? await earlierAnswer() : null;
      if (twin === null) throw error;
      return twin;
    } finally {
      inFlight.delete(lock);
    }
  };
}

/** Returns the answer that an earlier call with this requestId got; null when there was none. */
async function readEarlierAnswer(
  { database, catalogues, keys }: RepeatPorts,
  tenantId: string,
  requestId: string,
  payloadHash: Buffer,
  until: number,
): Promise<Recommended | null> {
  const { isPlayground } = await catalogues.get(tenantId);
  const find = async (tx: Tx) =>
    [await findRequest(tx, requestId), isPlayground ? await readQuotaLeft(tx) : null] as const;
  const [earlier, quotaLeft] = await database.withTenant(tenantId, systemActor('recommend'), find, { until });
  if (earlier === null) return null;
  if (earlier === 'record') throw new AppError('idempotency_key_reused');
  // Before comparing payloads: for an erased customer there's nothing left to compare.
  if (earlier.dataKey === null) throw new AppError('inputs_unavailable', { detail: 'The customer was erased.' });
  if (!earlier.payloadHash.equals(payloadHash)) throw new AppError('idempotency_key_reused');
  const key = keys.open(tenantId, earlier.dataKey);
  return { text: unseal(key, requestContext(tenantId, requestId), earlier.answer), replayed: true, quotaLeft };
}

const isRequestTaken = (error: unknown): boolean =>
  error instanceof DatabaseError && error.kind === 'unique' && error.constraint === 'decision_requests_pkey';
