import { type ErrorEntry, type QualificationStage, stageAliases } from '@arbiter/contract';
import { compileCondition, defaultStage, ruleProblems, ruleRemarks } from '@arbiter/engine';
import { asJson, asJsonObject } from '../../../platform/json.ts';
import { type Remark, remarksAt } from '../../../platform/remark.ts';

type StageWord = QualificationStage | keyof typeof stageAliases;

/** The stage by its first spelling (docs/design/api-catalogue.md 9). */
export function stageOf(word: StageWord): QualificationStage {
  switch (word) {
    case 'qualification':
    case 'applicability':
    case 'suitability':
      return stageAliases[word];
    default:
      return word;
  }
}

/** `stage` and `decisioningStage` name one thing: 400 when both are given and differ. Null: neither is given. */
export function wantedStage(
  stage: StageWord | undefined,
  decisioningStage: StageWord | undefined,
): { readonly stage: QualificationStage | null; readonly problems: readonly ErrorEntry[] } {
  const word = stage ?? decisioningStage;
  if (word === undefined) return { stage: null, problems: [] };
  const wanted = stageOf(word);
  const differ = decisioningStage !== undefined && stageOf(decisioningStage) !== wanted;
  return {
    stage: wanted,
    problems: differ ? [{ path: '/decisioningStage', message: 'must be the same as stage' }] : [],
  };
}

/** Stage of a rule of this type that names none. */
export const defaultStageOf = (ruleType: string): QualificationStage => defaultStage(ruleType);

/**
 * What keeps a rule of this type and config from being stored (docs/design/api-catalogue.md 9).
 */
export function qualificationRuleProblems(ruleType: string, config: Readonly<Record<string, unknown>>): ErrorEntry[] {
  const problems = ruleProblems(ruleType, asJsonObject(config)).map(({ path, message }) => ({
    path: `/config${path}`,
    message,
  }));
  // Stored plans may have both, and go on by valueFrom: the engine accepts them, and a remark tells the caller.
  if (ruleType === 'offer_attribute' && config.value != null && config.valueFrom != null) {
    problems.push({ path: '/config/value', message: "can't be combined with valueFrom, which takes precedence" });
  }
  return problems;
}

/** Unknown keys of a config without problems. */
export function qualificationRuleRemarks(ruleType: string, config: Readonly<Record<string, unknown>>): Remark[] {
  return remarksAt('/config', ruleRemarks(ruleType, asJsonObject(config)));
}

/** The config with its operator in the first spelling (docs/design/api-catalogue.md 1.3). Only for a config without problems. */
export function storedConfig(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { operator, attribute, value } = config;
  if (typeof operator !== 'string' || typeof attribute !== 'string') return config;
  const leaf = { field: attribute, operator, ...(value === undefined ? {} : { value: asJson(value) }) };
  const compiled = compileCondition(leaf);
  if (!compiled.ok || !('operator' in compiled.condition.stored)) return config;
  return { ...config, operator: compiled.condition.stored.operator };
}
