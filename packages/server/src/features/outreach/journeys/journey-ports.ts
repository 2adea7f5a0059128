import type { EnrollmentDeduplication } from '@arbiter/contract';

/** Whom to enroll in which journey. */
export interface EnrollmentRequest {
  readonly journeyId: string;
  readonly customerId: string;
  /** Values that conditions read as `data.*`. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Default `skip_if_active`. */
  readonly deduplication?: EnrollmentDeduplication | undefined;
  /** How many triggers led here, one causing the next. Default 0. */
  readonly depth?: number;
}

/** Something that happened to a customer. */
export interface JourneyEvent {
  /** `cart_abandon`, `segment.entered`: the words of triggers' `eventType`. */
  readonly type: string;
  readonly customerId: string;
  readonly channel: string | null;
  readonly timestamp: Date;
  /** What conditions read as `data.*`; copied into the context of enrollments that it starts. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Of `segment.entered` and `segment.left`. */
  readonly segmentId?: string;
  /** Of `outcome.recorded` that a response reported: its row of history. */
  readonly outcome?: Readonly<Record<string, unknown>>;
  /** How many triggers led here, one causing the next. Default 0. */
  readonly depth?: number;
}

/** A decision that a node wants. */
export interface JourneyDecisionCall {
  readonly tenantId: string;
  readonly customerId: string;
  readonly decisionFlowKey: string;
  /** Type of channels. */
  readonly channel: string | undefined;
  readonly channelId: string | undefined;
  readonly placement: string | undefined;
  readonly limit: number;
  /** What the record names as its source. Default `journey`. */
  readonly source?: 'journey' | 'trigger';
  /** Id of the journey, or of what else is the source. */
  readonly sourceId: string;
  /** The same for every repetition of the step, so that it decides once. */
  readonly requestId: string;
}

/** An offer that was decided. */
export interface DecidedItem {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly rank: number;
  readonly score: number | null;
}

export interface JourneyDecision {
  /** Null in a dry run. */
  readonly recommendationId: string | null;
  readonly items: readonly DecidedItem[];
}

/** Decides and stores the decision. Throws AppError for a flow that can't run. */
export type DecideForJourney = (call: JourneyDecisionCall) => Promise<JourneyDecision>;
