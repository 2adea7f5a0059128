export { type CheckResult, checkCatalogue, checkInSlices } from './check/check.ts';
export { requiredSegments } from './check/check-references.ts';
export {
  type Coverage,
  type Finding,
  type FindingCode,
  findingCodes,
  type Repair,
  type Severity,
} from './check/findings.ts';
export { comparedColumns, type TextColumn } from './check/known-texts.ts';
export type { CheckInput, Subject } from './check/subject.ts';
export { subjectTypes } from './check/subject.ts';
export type { Witness } from './check/witness.ts';
export type {
  DecisionTest,
  NamedRecord,
  TestExpectations,
  TestGiven,
  TestItem,
  TestNote,
  TestResult,
} from './decision-tests/decision-test.ts';
export { testOfDecision } from './decision-tests/from-decision.ts';
export type { Clocks } from './decision-tests/given-input.ts';
export type { OtherRecords } from './decision-tests/names.ts';
export { testProblems } from './decision-tests/problems.ts';
export { openBench, type TestBench } from './decision-tests/run-test.ts';
export { type DiffAnswer, type DiffItem, type DiffKind, diffKinds, kindOf } from './diff/answers.ts';
export { type DiffFigures, type DiffLimits, type DiffReason, figuresOf, type LimitResult } from './diff/figures.ts';
export {
  type DiffTally,
  type DiffTotals,
  type JudgedDecision,
  mergeTotals,
  newDiffTally,
  type Sample,
  type SampleItem,
  sampleItems,
} from './diff/tally.ts';
export { bucketOf, quantileOf } from './diff/times.ts';
export { estimators } from './estimate/estimators.ts';
export { type Evaluation, evaluate } from './estimate/evaluate.ts';
export { hallInterval } from './estimate/interval.ts';
export { collectLog, type EvaluationLog, joinLogs, type PlaceRow } from './estimate/log.ts';
export { folds } from './estimate/reward-model.ts';
export { weightsOf } from './estimate/weights.ts';
export type { Equivalence } from './mutation/equivalents.ts';
export { type MutantResult, mutate, mutationScore } from './mutation/mutate.ts';
export { pairwiseSum } from './pairwise-sum.ts';
