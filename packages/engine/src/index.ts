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
export { formulaHint } from './formula/hint.ts';
export * from './formula/scope.ts';
export { compareMetric, type MetricOperator, metricOperators } from './metrics/metric-comparison.ts';
export type { Lesson } from './models/model-kind.ts';
export {
  modelLearning,
  modelProblems,
  modelRemarks,
  modelShapes,
  modelTypeProblem,
} from './models/model-kinds.ts';
export { modelsNamed } from './models/plan-models.ts';
export { predictorProblems } from './models/predictors.ts';
export { type ModelAnswer, scoreOffers } from './models/score-one.ts';
export type { WebhookRules } from './nodes/node-keys.ts';
export { nodeShapes } from './nodes/node-shapes.ts';
export type * from './plan/condition.ts';
export type * from './plan/decision.ts';
export type { DropReason } from './plan/drop-reason.ts';
export { type EmptyReason, emptyReasons } from './plan/empty-reason.ts';
export type * from './plan/formula.ts';
export type * from './plan/input.ts';
export type { Ordinals } from './plan/ordinals.ts';
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
export type { GateRow } from './plan/probe.ts';
export type { AskExternal } from './plan/run.ts';
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
export { volumeFull } from './policies/volumes.ts';
export { daysSince } from './qualification/recency-check.ts';
export { defaultStage, ruleProblems, ruleRemarks, ruleShapes } from './qualification/rule-kinds.ts';
export { h32, u } from './random/hash.ts';
export { stream } from './random/stream.ts';
export { diffResults, resultOf } from './replay.ts';
export { compileTemplate } from './templates/compile-template.ts';
export { parseText, type Token } from './templates/parse-text.ts';
export { engineVersion, semantics } from './version.ts';
export { editableColumns, withEdits } from './why-not/alter-input.ts';
export type { Edit, Holds } from './why-not/edits.ts';

export type { Flip } from './why-not/flip.ts';
export { type WhyNotAnswer, whyNot } from './why-not/search.ts';
export { nearestWord } from './words/nearest-word.ts';
export { didYouMean, listWords, told } from './words/word-texts.ts';
