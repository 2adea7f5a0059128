import type { DecisionRequest } from '@arbiter/engine';
import type { CompiledFlow } from '../plans/index.ts';
import type { RecommendCall } from './recommend.rules.ts';

/** One recommend request on its way through a batch. */
export interface DecideJob {
  readonly call: RecommendCall;
  /** Hash of the canonical body when the client made the requestId, else null. */
  readonly payloadHash: Buffer | null;
  /** Monotonic ms at which the request came in. */
  readonly startedAt: number;
  /** Monotonic ms by which the request must be answered. */
  readonly until: number;
  /** Takes the answer as JSON text. `quotaLeft`: what a playground may still be given; null for other tenants. */
  readonly resolve: (answer: string, quotaLeft: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** A job with what it is decided by. */
export interface Prepared {
  readonly job: DecideJob;
  readonly flow: CompiledFlow;
  readonly request: DecisionRequest;
}
