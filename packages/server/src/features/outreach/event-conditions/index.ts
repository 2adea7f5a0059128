export { type CompiledCondition, compileCondition } from './condition.rules.ts';
export { type ConditionFacts, conditionProblems, matches, readKnown } from './conditions.ts';
