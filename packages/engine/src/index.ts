export { civilFromDays, daysFromCivil, offsetAt, parseInstant } from './arithmetic/calendar.ts';
export { round6, roundHalfAway } from './arithmetic/decimal.ts';
export { parseDecimal } from './arithmetic/decimal-text.ts';
export { exp } from './arithmetic/exp.ts';
export { ln } from './arithmetic/ln.ts';
export { compareText, finiteNumber } from './arithmetic/order.ts';
export { pow } from './arithmetic/pow.ts';
export { canonicalJson } from './canonical/canonical-json.ts';
export { compile, compileInSlices } from './compile/compile.ts';
export type { ConfigShape } from './compile/config-fields.ts';
export { type ConfigProblem, type ConfigRemark, readConfig, unknownKeys } from './compile/config-problems.ts';
export { type JoinedFigure, type JoinedSource, type JoinedValue, joinedSources } from './compile/joined-sources.ts';
export type {
  AutoSource,
  EnrichSource,
  Ordinals,
  OutcomeReads,
  Plan,
  PlanLimits,
  PlanNames,
  PlanReads,
  PlanVolume,
  PlanVolumes,
  PlanWebhook,
} from './compile/plan.ts';
export { type Beside, columnsRead, type ReadSource, type Reads, readsBeside } from './compile/reads-beside.ts';
export { shownContent } from './compile/templates.ts';
export {
  compileCondition,
  compileConditionList,
  compileField,
  type FieldReader,
} from './conditions/compile-condition.ts';
export type * from './conditions/condition.ts';
export { conditionRemarks } from './conditions/condition-remarks.ts';
export { matcherOf, testOperator } from './conditions/match.ts';
export { CONDITION_OPERATORS, canonicalOperator, LIST_OPERATORS } from './conditions/operator.ts';
export { parseCondition } from './conditions/parse-condition.ts';
export { type DecideOptions, decide, type StageObserver } from './decide.ts';
export type * from './decision.ts';
export {
  channelAsked,
  placementsNamed,
  resolveTarget,
  type Target,
  type TargetProblem,
  type TargetSlot,
} from './delivery/target.ts';
export { targetHint } from './delivery/target-hint.ts';
export { type EmptyReason, emptyReasons } from './empty-reason.ts';
export { type FlowCall, flowCalls, type KnownFlow } from './flow-validation/check-calls.ts';
export {
  type FlowCheck,
  type FlowIssue,
  type FlowIssueClass,
  type FlowReferences,
  type FlowWarning,
  flowReferences,
  openReferences,
  validateFlow,
} from './flow-validation/validate-flow.ts';
export { foldContacts } from './fold-contacts.ts';
export { foldOutcomes } from './fold-outcomes.ts';
export { compileFormula, convertOutput } from './formula/compile-formula.ts';
export { dependencyOrder } from './formula/dependencies.ts';
export type * from './formula/formula.ts';
export { functionNames } from './formula/functions.ts';
export { formulaHint } from './formula/hint.ts';
export * from './formula/scope.ts';
export type * from './input.ts';
export type { Contribution, Learning, Lesson } from './models/model-kind.ts';
export {
  modelLearning,
  modelProblems,
  modelRemarks,
  modelShapes,
  modelTypeProblem,
  modelTypes,
} from './models/model-kinds.ts';
export { modelsNamed } from './models/plan-models.ts';
export { predictorProblems } from './models/predictors.ts';
export { type ModelAnswer, type ScoreQuestion, scoreOffers } from './models/score-one.ts';
export type { ReferenceKind, WebhookRules } from './nodes/node-keys.ts';
export { nodeShapes } from './nodes/node-shapes.ts';
export {
  needsOfferCategories,
  policyProblems,
  policyRemarks,
  policyShapes,
  policyTypes,
} from './policies/policy-kinds.ts';
export { type VolumeLimit, volumeFull, volumeName } from './policies/volumes.ts';
export { daysSince } from './qualification/recency-check.ts';
export { defaultStage, ruleProblems, ruleRemarks, ruleShapes, ruleTypes } from './qualification/rule-kinds.ts';
export { h32, h32After, hashState, u } from './random/hash.ts';
export { stream } from './random/stream.ts';
export { compileRegex } from './regex/compile-regex.ts';
export { type Difference, diffResults, resultOf } from './replay.ts';
export type { AskExternal, AskedCandidate, DropReason } from './run.ts';
export type * from './snapshot.ts';
export { compileTemplate, type TemplateOptions } from './templates/compile-template.ts';
export { parseText, type Segment, type Token } from './templates/parse-text.ts';
export type * from './templates/template.ts';
export { engineVersion, semantics } from './version.ts';
export { type ColumnPlace, editableColumns, withEdits } from './why-not/alter-input.ts';
export type { Edit, Holds } from './why-not/edits.ts';
export type { GateRow } from './why-not/examination.ts';
export type { Timeline } from './why-not/moments.ts';
export {
  type Flip,
  type FlipKind,
  mostExecutions,
  type WhyNotAnswer,
  type WhyNotQuestion,
  whyNot,
} from './why-not/search.ts';
export { nearestWord } from './words/nearest-word.ts';
export { didYouMean, listWords, mustBeOneOf, told } from './words/word-texts.ts';
