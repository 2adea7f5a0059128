import type { EmptyReason, Json } from '@arbiter/engine';

/** A decision that a flow must make for a fictional customer. Everything is named by key or name, never by id. */
export interface DecisionTest {
  readonly name: string;
  readonly given: TestGiven;
  readonly expect: TestExpectations;
}

export interface TestContact {
  readonly offer: string;
  readonly channel?: string | undefined;
  readonly creative?: string | undefined;
  /** Instant of the contact. */
  readonly at: string;
  /** Key of the outcome that it had at the same instant. */
  readonly outcome?: string | undefined;
}

type Counts = readonly number[];

export interface TestEvidence {
  readonly offers?: Readonly<Record<string, Counts>> | undefined;
  readonly categories?: Readonly<Record<string, Counts>> | undefined;
  readonly total?: Counts | undefined;
}

export interface TestRequest {
  readonly channel?: string | undefined;
  readonly placement?: string | undefined;
  readonly placements?: readonly TestPlacement[] | undefined;
  readonly limit?: number | undefined;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  readonly locale?: string | undefined;
  readonly currency?: string | undefined;
  readonly excludeOffers?: readonly string[] | undefined;
}

export interface TestPlacement {
  readonly placement: string;
  readonly channel?: string | undefined;
  readonly limit?: number | undefined;
}

export interface TestGiven {
  /** Instant of the decision. */
  readonly now: string;
  /** Values under `customer.`; absent: nothing is known about the customer. */
  readonly customer?: Readonly<Record<string, unknown>> | undefined;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  readonly segments?: readonly string[] | undefined;
  readonly contacts?: readonly TestContact[] | undefined;
  readonly evidence?: TestEvidence | undefined;
  readonly request?: TestRequest | undefined;
  /** Picks other random draws. Default 0. */
  readonly seed?: number | undefined;
}

export interface TestExclusion {
  readonly offer: string;
  /** Rule, policy, node or reason that must have dropped it. */
  readonly by?: string | undefined;
}

export interface TestExpectations {
  readonly includes?: readonly string[] | undefined;
  readonly excludes?: readonly TestExclusion[] | undefined;
  readonly order?: readonly string[] | undefined;
  readonly first?: string | undefined;
  readonly count?: number | undefined;
  readonly emptyReason?: string | undefined;
  /** Lowest and highest selection probability, by offer. */
  readonly probability?: Readonly<Record<string, Counts>> | undefined;
}

/** A problem or difference in a test. `path`: JSON Pointer into it. */
export interface TestNote {
  readonly path: string;
  readonly message: string;
}

/** An item of the answer, by names. */
export interface TestItem {
  readonly offer: string;
  readonly creative: string | null;
  readonly channel: string | null;
  readonly placement: string | null;
  readonly probability: number;
}

export interface TestResult {
  readonly name: string;
  /** `error`: the test can't run, for example because it names an offer that doesn't exist. */
  readonly status: 'passed' | 'failed' | 'error';
  /** Expectations that weren't met; for `error`, what is wrong with the test. */
  readonly differences: readonly TestNote[];
  /** The answer; empty for `error`. */
  readonly items: readonly TestItem[];
  readonly emptyReason: EmptyReason | null;
}

/** Records that a test may name although no decision of the plan uses them now, such as a paused offer. */
export interface NamedRecord {
  readonly id: string;
  readonly name: string;
}

export const asJson = (value: unknown): Json => value as Json;
