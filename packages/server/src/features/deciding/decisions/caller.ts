import type { DecisionOrigin } from './recommend/decide-job.ts';

/** What a decision needs to know about its caller. */
export interface CallerFacts {
  readonly tenantId: string;
  readonly credentialId: string;
  readonly ip: string;
  readonly userAgent: string;
  readonly idempotencyKey: string | null;
  /** Monotonic ms by which the answer must be there. */
  readonly until: number;
  /** What the decision is made for, such as a journey; absent: a call of recommend. Stored with the decision. */
  readonly origin?: DecisionOrigin;
}

/** An answer of recommend. */
export interface Recommended {
  /** JSON text of a `RecommendAnswer`. */
  readonly text: string;
  /** True: the stored answer of an earlier call, byte for byte. */
  readonly replayed: boolean;
  /** The playground's remaining quota; null for other tenants. */
  readonly quotaLeft: number | null;
}
