import { type DecisionInput, recordedInput } from '@arbiter/engine';
import type { WholeRecord } from './record-reader.ts';

/** The input of a record for the plan that decided it. */
export const inputOf = ({
  flow,
  packed,
  record,
  seed,
  evidence,
  modelStates,
  objectiveCounts,
}: WholeRecord): DecisionInput =>
  recordedInput(flow.plan, packed, {
    ...{ requestId: record.requestId, seed, evidence, modelStates, objectiveCounts },
    refs: flow.refs,
  });
