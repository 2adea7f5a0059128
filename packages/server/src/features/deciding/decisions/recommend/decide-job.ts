import type { DecisionRequest, SnapshotFlow } from '@arbiter/engine';
import type { LiveFlow } from '../../plans/index.ts';
import type { External } from '../webhooks/webhooks.ts';
import type { RecommendCall } from './recommend.rules.ts';

/** One recommend request on its way through a batch. */
export interface DecideJob {
  readonly call: RecommendCall;
  /** What came to be known of it, for those who hear of its failure. */
  readonly known: KnownOfJob;
  /** Hash of the canonical body when the client made the requestId, else null. */
  readonly payloadHash: Buffer | null;
  /** Monotonic ms at which the request came in. */
  readonly startedAt: number;
  /** Monotonic ms by which the request must be answered. */
  readonly until: number;
  /** Monotonic ms at which it was put back in the queue, with answers of webhooks; absent: it was not. */
  readonly queuedAt?: number;
  /** What webhooks answered, and the plan that they were asked for; absent: none was asked. */
  readonly asked?: { readonly planHash: Buffer; readonly answers: External; readonly times: number };
  /** Takes the answer as JSON text. `quotaLeft`: what a playground may still be given; null for other tenants. */
  readonly resolve: (answer: string, quotaLeft: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Filled in on its way. */
export interface KnownOfJob {
  /** Null: not found yet, or there is none. */
  flow: SnapshotFlow | null;
}

/** A job with what it is decided by. */
export interface Prepared {
  readonly job: DecideJob;
  readonly flow: LiveFlow;
  readonly request: DecisionRequest;
}
