import type { BacktestSpec, CheckSpec, EvaluationSpec, OverlayChange, studyKinds } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import type { Routing } from '../plans/index.ts';
import type { RecordReader } from './records/record-reader.ts';

/** The stored request of a check. */
export interface StoredCheckSpec extends Omit<CheckSpec, 'overlay'> {
  readonly overlay?: readonly OverlayChange[];
  /** What the request knew with its overlay, which the study can't look up. */
  readonly known: {
    /** IDs of offers without stock. */
    readonly soldOut: readonly string[];
    /** Names of segments without members, by id and by name. */
    readonly emptySegments: readonly (readonly [word: string, name: string])[];
  };
}

/** The stored request, by kind. */
export type StudySpec = BacktestSpec | EvaluationSpec | StoredCheckSpec;

/** A study as the threads that work on it see it. */
export interface StudyQuestion<Spec extends StudySpec = StudySpec> {
  readonly id: string;
  readonly flowId: string;
  readonly spec: Spec;
  /** In hex. The seed of all randomness in the study. */
  readonly specHash: string;
  /** The plan that is judged. */
  readonly candidateHash: Buffer;
  /** The plan to compare with; null for the recorded answers. */
  readonly baseHash: Buffer | null;
  readonly dataCut: Date;
  /** Records of the study; 0 until they are selected. */
  readonly total: number;
  /** Which requests go to the flow; null: the study reads the flow's own decisions. */
  readonly routing: Routing | null;
}

/** Which records a study reads. */
export interface RecordChoice {
  /** Null: of all flows. */
  readonly flowId: string | null;
  readonly from: Date;
  readonly to: Date;
  /** Maximum records, oldest first. */
  readonly most: number;
  /** Share of customers. */
  readonly share: number;
}

/** Resources of a thread that works on a study. */
export interface StudyWork {
  readonly database: Database;
  readonly keys: CustomerKeys;
  readonly tenantId: string;
  /** Caches the plans and states of the study, which all chunks share. */
  readonly reader: RecordReader;
  /** Call between customers, outside transactions. Waits while requests need the processor. Throws once the study is stopped. */
  readonly pauseIfBusy: () => Promise<void>;
}

/** The outcome of a chunk of records. */
export interface ChunkOutcome {
  /** Packed counts: the same bytes for the same records. */
  readonly partial: Uint8Array;
  /** Deflated lines of JSON for `GET /studies/{id}/rows`, and their number. */
  readonly rows: { readonly lines: Uint8Array; readonly count: number } | null;
}

export interface StudyOutcome {
  /** JSON of the result: the same text for the same question and records. */
  readonly result: string;
  /** JSON of measured times, which differ between runs; null for none. */
  readonly load: string | null;
  /** Offers for which a generated customer contradicted the policy compiler. Absent: none. */
  readonly contradictions?: number;
}

/**
 * A kind of study. `records` runs in the job, the rest in threads. Chunks hold whole customers, so no customer is counted in
 * two chunks. Methods and not properties, so that kinds with different specs fit in one list.
 */
export interface StudyKind<Spec extends StudySpec = StudySpec> {
  readonly kind: (typeof studyKinds)[number];
  /** Null: the kind judges no records, and has no chunks. */
  records(question: StudyQuestion<Spec>): RecordChoice | null;
  /** `decisionIds`: customer by customer, in the order of the ids. */
  chunk(work: StudyWork, question: StudyQuestion<Spec>, decisionIds: readonly string[]): Promise<ChunkOutcome>;
  /** Merges the partials, which come in the order of the chunks. */
  finish(work: StudyWork, question: StudyQuestion<Spec>, partials: AsyncIterable<Uint8Array>): Promise<StudyOutcome>;
}

/**
 * A tenant has one running study in each lane. Checks have their own: someone waits for them, and they take seconds where a
 * backtest takes minutes.
 */
export type StudyLane = 'records' | 'check';

export const laneOf = (kind: StudyKind['kind']): StudyLane => (kind === 'check' ? 'check' : 'records');

/** A part of a study for a thread: a chunk, or merging all of them. */
export interface StudyStep {
  readonly lane: StudyLane;
  readonly tenantId: string;
  readonly studyId: string;
  /** Number of the chunk; null: merge. */
  readonly chunk: number | null;
}

export interface StudyStepResult {
  /** Null for a merge, or if the chunk no longer exists. */
  readonly chunk: ChunkOutcome | null;
  /** Null for a chunk. */
  readonly outcome: StudyOutcome | null;
}
