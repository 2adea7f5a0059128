import type { decisionSources } from '@arbiter/contract';
import type { DecisionRequest, SnapshotFlow } from '@arbiter/engine';
import type { RunnableFlow } from '../../../catalogue/flows/index.ts';
import type { LiveFlow } from '../../plans/index.ts';
import type { External } from '../webhooks/webhooks.ts';
import type { RecommendCall } from './recommend.rules.ts';

/** What asked for a decision, if not a call of recommend. */
export interface DecisionOrigin {
  readonly source: Exclude<(typeof decisionSources)[number], 'recommend'>;
  /** The campaign run, journey or trigger. */
  readonly sourceId: string;
}

/** One recommend request on its way through a batch. */
export interface DecideJob {
  readonly call: RecommendCall;
  /** Absent: a call of recommend. */
  readonly origin?: DecisionOrigin;
  /** The version of a flow to run; absent: the newest of the one that the call names or a route assigns. */
  readonly flow?: RunnableFlow;
  /** Nobody reads the answer, so it isn't written. */
  readonly isSilent?: true;
  /** What's known of it so far, for reporting a failure. */
  readonly known: KnownOfJob;
  /** Hash of the canonical body when the client chose the requestId, otherwise null. */
  readonly payloadHash: Buffer | null;
  /** Monotonic ms at which the request came in. */
  readonly startedAt: number;
  /** Monotonic ms by which the request must be answered. */
  readonly until: number;
  /** Monotonic ms at which it was put back in the queue, with answers of webhooks; absent: it was not. */
  readonly queuedAt?: number;
  /** Answers of webhooks, and the plan they were asked for; absent: none was asked. */
  readonly asked?: { readonly planHash: Buffer; readonly answers: External; readonly times: number };
  /** Takes the answer as JSON text. `quotaLeft`: the playground's remaining quota; null for other tenants. */
  readonly resolve: (answer: string, quotaLeft: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Filled in on its way. */
export interface KnownOfJob {
  /** Null: not found yet, or there is none. */
  flow: SnapshotFlow | null;
}

/** A job with everything that decides it. */
export interface PreparedJob {
  readonly job: DecideJob;
  readonly flow: LiveFlow;
  readonly request: DecisionRequest;
}
