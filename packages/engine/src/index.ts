export { civilFromDays, offsetAt, parseInstant } from './arithmetic/calendar.ts';
export { round6, roundHalfAway } from './arithmetic/decimal.ts';
export { parseDecimal } from './arithmetic/decimal-text.ts';
export { exp } from './arithmetic/exp.ts';
export { ln } from './arithmetic/ln.ts';
export { compareText } from './arithmetic/order.ts';
export { pow } from './arithmetic/pow.ts';
export { canonicalJson } from './canonical/canonical-json.ts';
export { compile, compileInSlices } from './compile/compile.ts';
export type { ConfigShape } from './compile/config-fields.ts';
export { readConfig, unknownKeys } from './compile/config-problems.ts';
export { joinedSources } from './compile/joined-sources.ts';
export { type Beside, columnsRead, type Reads, readsBeside } from './compile/reads-beside.ts';
export { compileSchedule as scheduleOf } from './compile/schedule.ts';
export { compileCreative, shownContent } from './compile/templates.ts';
export {
  compileCondition,
  compileConditionList,
} from './conditions/compile-condition.ts';
export { conditionRemarks } from './conditions/condition-remarks.ts';
export { parseCondition } from './conditions/parse-condition.ts';
export { type DecideOptions, decide, type StageObserver } from './decide.ts';
export { channelAsked, placementsNamed, resolveTarget } from './delivery/target.ts';
export { targetHint } from './delivery/target-hint.ts';
export { flowCalls } from './flow-validation/check-calls.ts';
export type { FlowIssue } from './flow-validation/flow-issues.ts';
export type { KnownFlow } from './flow-validation/flow-references.ts';
export { type FlowReferences, openReferences } from './flow-validation/flow-references.ts';
export { flowReferences, validateFlow } from './flow-validation/validate-flow.ts';
export { foldContacts } from './fold-contacts.ts';
export { foldOutcomes } from './fold-outcomes.ts';
export { compileFormula } from './formula/compile-formula.ts';
export { dependencyOrder } from './formula/dependencies.ts';
export { functionNames } from './formula/functions.ts';
export { formulaHint } from './formula/hint.ts';
export * from './formula/scope.ts';
export { compareMetric, type MetricOperator, metricOperators } from './metrics/metric-comparison.ts';
export type { Lesson } from './models/model-kind.ts';
export {
  isBandit,
  learningTypes,
  learnsFromStart,
  modelLearn,
  modelProblems,
  modelRemarks,
  modelShapes,
  modelState,
  modelTypeProblem,
} from './models/model-kinds.ts';
export { experimentsNamed, modelsNamed } from './models/plan-models.ts';
export { featuresIn, type Predictor, readPredictors } from './models/predictor-values.ts';
export { predictorProblems } from './models/predictors.ts';
export {
  endpointQuestion,
  type ModelAnswer,
  type ScoreQuestion,
  scoreInSlices,
  scoreOffers,
} from './models/score-one.ts';
export { driftOf } from './models/training/drift.ts';
export type { ModelMetrics } from './models/training/metrics.ts';
export {
  scoreRows,
  type TrainedModel,
  trainingSeed,
  trainModel,
} from './models/training/train-model.ts';
export { modelTrainer } from './models/training/trainers.ts';
export type { TrainingRow, TrainingRows } from './models/training/training-rows.ts';
export { type CaseExplainer, type CaseExplanation, openExplainer } from './models/trees/explain-case.ts';
export { importForest } from './models/trees/import/import-forest.ts';
export type { WebhookRules } from './nodes/node-keys.ts';
export { flowSettingsShape, nodeShapes } from './nodes/node-shapes.ts';
export type * from './plan/condition.ts';
export type * from './plan/decision.ts';
export type { DropReason } from './plan/drop-reason.ts';
export { type EmptyReason, emptyReasons } from './plan/empty-reason.ts';
export type * from './plan/formula.ts';
export type * from './plan/input.ts';
export type { EndpointMapping } from './plan/models.ts';
export type { PlanCreative, PlanOffer } from './plan/offer.ts';
export type {
  AutoSource,
  EnrichSource,
  JoinedFigure,
  JoinedSource,
  JoinedValue,
  OutcomeReads,
  Plan,
  PlanReads,
  PlanVolume,
  PlanVolumes,
  PlanWebhook,
} from './plan/plan.ts';
export type { CompiledPolicy } from './plan/policy.ts';
export type { GateRow } from './plan/probe.ts';
export type { AskExternal, EndpointQuestion } from './plan/run.ts';
export type * from './plan/snapshot.ts';
export type { TargetProblem } from './plan/target.ts';
export type * from './plan/template.ts';
export type { VolumeLimit } from './plan/volumes.ts';
export {
  needsOfferCategories,
  policyHistoryDays,
  policyProblems,
  policyRemarks,
  policyShapes,
} from './policies/policy-kinds.ts';
export { timeWindowOpens } from './policies/time-window.ts';
export { volumeFull } from './policies/volumes.ts';
export { daysSince } from './qualification/recency-check.ts';
export { defaultStage, ruleProblems, ruleRemarks, ruleShapes } from './qualification/rule-kinds.ts';
export { h32, u } from './random/hash.ts';
export { stream } from './random/stream.ts';
export { openProof, type Proof, type ProofCheck, readProof } from './record/check-proof.ts';
export { type CountsRow, countsView } from './record/counts-view.ts';
export {
  boundaries,
  experimentsOf,
  type PackedExperiment,
  type PackedInput,
  type PackedRow,
  pick,
  put,
  recordedInput,
  reduceRequest,
  requestDefaults,
  unpackCampaigns,
  unpackExternal,
  unpackInput,
  unpackWindows,
  usesSegment,
  wallClock,
} from './record/packed-input.ts';
export {
  hashedText,
  type ItemTexts,
  itemTexts,
  type PackedResult,
  readResultText,
  resultText,
  unpackResult,
} from './record/packed-result.ts';
export { joinPieces, type PieceLists, type PlanHead } from './record/plan-content.ts';
export { type PlanRefs, planRefs } from './record/plan-refs.ts';
export { openFeatures, openScope, type ReadFeatures, type RecordedScope } from './recorded-features.ts';
export { diffResults, resultOf } from './replay.ts';
export { chiSquareP, sampleRatio } from './statistics/chi-square.ts';
export { erf, erfc, twoSidedP } from './statistics/normal.ts';
export { compareProportions, wilson } from './statistics/proportions.ts';
export { compileTemplate } from './templates/compile-template.ts';
export { parseText, type Token } from './templates/parse-text.ts';
export { engineVersion, semantics } from './version.ts';
export { type LoggedItem, type LoggedSlate, loggedSlate } from './weigh/logged-slate.ts';
export { type Choice, type Weighed, type WeighedPlace, weigh } from './weigh/weigh.ts';
export { editableColumns, withEdits } from './why-not/alter-input.ts';
export type { Edit, Holds } from './why-not/edits.ts';
export type { Flip } from './why-not/flip.ts';
export { type WhyNotAnswer, whyNot } from './why-not/search.ts';
export { nearestWord } from './words/nearest-word.ts';
export { didYouMean, listWords, shortenWord as told } from './words/word-texts.ts';
