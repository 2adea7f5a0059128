import { type ConfigShape, numberField } from '../compile/config-fields.ts';
import { type ConfigProblem, type ConfigRemark, readConfig, unknownKeys } from '../compile/config-problems.ts';
import { compileScope, isVacant } from '../compile/scopes.ts';
import type { Builder } from '../plan/builder.ts';
import type { PlanOffer } from '../plan/offer.ts';
import { type CompiledRule, type RuleBehaviour, type RuleStage, ruleStages } from '../plan/rule.ts';
import type { JsonObject, SnapshotRule } from '../plan/snapshot.ts';
import { attributeCondition } from './attribute-condition.ts';
import { metricCondition } from './metric-condition.ts';
import { offerAttribute } from './offer-attribute.ts';
import { propensityThreshold } from './propensity-threshold.ts';
import { recencyCheck } from './recency-check.ts';
import type { RuleKind } from './rule-kind.ts';
import { segmentRequired } from './segment-required.ts';

/** Rule types: one file and one line each. */
const kinds: readonly RuleKind[] = [
  attributeCondition,
  recencyCheck,
  offerAttribute,
  segmentRequired,
  propensityThreshold,
  metricCondition,
];
const kindByType = new Map(kinds.map((kind) => [kind.ruleType, kind]));

/** Keys that the config of a rule may have, by rule type. */
export const ruleKeys: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  kinds.map((kind) => [kind.ruleType, keysOf(kind)]),
);

const penalty = numberField(
  0.1,
  1,
  'Factor applied to the score when a rule of the stage `match` fails. In other stages a failing rule drops the offer.',
  {
    default: 0.5,
  },
);

/** The configs of all rule types, for the documentation of the API. */
export const ruleShapes: Readonly<Record<string, ConfigShape>> = Object.fromEntries(
  kinds.map(({ ruleType, fields, required }) => [ruleType, { fields: { ...fields, penalty }, required }]),
);

function keysOf({ fields }: ConfigShape): string[] {
  return [...Object.keys(fields), 'penalty'];
}

/** Stage of a rule that names none. */
export function defaultStage(ruleType: string): RuleStage {
  return kindByType.get(ruleType)?.defaultStage ?? 'eligibility';
}

/**
 * Returns the problems of a rule's type or config on write (docs/design/api-catalogue.md 9). The caller checks
 * references.
 */
export function ruleProblems(ruleType: string, config: JsonObject): readonly ConfigProblem[] {
  const kind = kindByType.get(ruleType);
  if (kind === undefined) return [{ path: '', message: `${ruleType} is not a rule type` }];
  const reader = readConfig(config);
  reader.number('penalty', penalty);
  return [...reader.problems, ...kind.check(config)];
}

/** Returns what has no effect in a rule's config. For a config without problems. */
export function ruleRemarks(ruleType: string, config: JsonObject): readonly ConfigRemark[] {
  const kind = kindByType.get(ruleType);
  if (kind === undefined) return [];
  return [...unknownKeys(config, keysOf(kind)), ...(kind.remarks?.(config) ?? [])];
}

/** Rules in order: eligibility, fit, match; inside by priority desc, oldest, id. Vacant ones are left out. */
export function* compileRules(
  rules: readonly SnapshotRule[],
  builder: Builder,
  offers: readonly PlanOffer[],
): Generator<void, CompiledRule[]> {
  const compiled: CompiledRule[] = [];
  for (const rule of rules.toSorted(byOrder)) {
    yield;
    const stage = ruleStages.find((name) => name === rule.stage);
    if (stage === undefined) continue;
    const scope = compileScope(rule.scopes, builder.index);
    if (isVacant(scope)) continue;
    builder.readSegments(scope.segments);
    const kind = kindByType.get(rule.ruleType);
    const sound = kind !== undefined && ruleProblems(rule.ruleType, rule.config).length === 0;
    // A rule that cannot be evaluated fails in a hard stage and is left out in match.
    if (!sound && stage === 'match') continue;
    compiled.push({
      id: rule.id,
      name: rule.name,
      ruleType: rule.ruleType,
      stage,
      penalty: typeof rule.config.penalty === 'number' ? rule.config.penalty : 0.5,
      scope,
      behaviour: sound ? kind.compile(rule, builder, offers) : closed,
    });
  }
  return compiled;
}

const closed: RuleBehaviour = {
  perCustomer: true,
  needsCreative: false,
  failingOffers: null,
  passes: () => false,
  explain: () => ({ reason: 'rule_error', detail: { error: 'rule_error' } }),
};

function byOrder(a: SnapshotRule, b: SnapshotRule): number {
  return (
    stageOrder(a) - stageOrder(b) ||
    b.priority - a.priority ||
    a.createdAt - b.createdAt ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
}

function stageOrder({ stage }: SnapshotRule): number {
  return stage === 'eligibility' ? 0 : stage === 'fit' ? 1 : 2;
}
