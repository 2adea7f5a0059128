import { type Json, ruleProblems, type SnapshotRule } from '@arbiter/engine';
import {
  allOf,
  always,
  anyOf,
  daysAgo,
  type FixedParts,
  type Formula,
  formulaOf,
  member,
  missing,
  never,
  nothingFixed,
  unknown,
} from './formula.ts';

type RuleReading = (config: SnapshotRule['config'], fixed: FixedParts) => Formula;

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const numberOf = (value: Json | undefined, usual: number): number => (typeof value === 'number' ? value : usual);
const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const existence: ReadonlySet<Json | undefined> = new Set(['exists', 'not_exists', 'is_null', 'is_not_null']);

/** With `onMissing: pass`, a missing value passes too. */
function orMissing(formula: Formula, field: string, config: SnapshotRule['config'], fixed: FixedParts): Formula {
  if (config.onMissing !== 'pass' || existence.has(config.operator)) return formula;
  const root = field.split('.')[0];
  const absent =
    field.includes('.') && (root === 'offer' || root === 'channel')
      ? formulaOf({ condition: { field, operator: 'not_exists' } }, fixed)
      : missing(field);
  return anyOf([formula, absent]);
}

function comparison(field: string, config: SnapshotRule['config'], fixed: FixedParts): Formula {
  const { operator, value } = config;
  const condition = value === undefined ? { field, operator } : { field, operator, value };
  return orMissing(formulaOf({ condition }, fixed), field, config, fixed);
}

/** What each rule type asks of customer and request. Values of metrics, models and other records aren't known here. */
export const ruleReadings: Readonly<Record<string, RuleReading>> = {
  attribute_condition: (config, fixed) => comparison(textOf(config.attribute), config, fixed),
  recency_check(config, fixed) {
    const field = textOf(config.attribute);
    const root = field.split('.')[0];
    if (field.includes('.') && (root === 'offer' || root === 'channel')) return unknown;
    const days = daysAgo(field, numberOf(config.minDays, 0), numberOf(config.maxDays, Number.POSITIVE_INFINITY));
    return orMissing(days, field, config, fixed);
  },
  offer_attribute(config, fixed) {
    if (config.valueFrom !== undefined) return unknown;
    const attribute = textOf(config.attribute);
    return comparison(attribute.startsWith('offer.') ? attribute : `offer.${attribute}`, config, fixed);
  },
  segment_required: (config) => allOf(textsOf(config.requiredSegments).map(member)),
  propensity_threshold: () => unknown,
  metric_condition: () => unknown,
};

/** Returns what a hard rule asks. A config that can't be read fails everyone. */
export function ruleFormula(rule: SnapshotRule, fixed: FixedParts = nothingFixed): Formula {
  if (ruleProblems(rule.ruleType, rule.config).length > 0) return never;
  return ruleReadings[rule.ruleType]?.(rule.config, fixed) ?? unknown;
}

/** Returns what an offer's own eligibility asks. */
export function eligibilityFormula(source: SnapshotRule['config'] | null, fixed: FixedParts): Formula {
  if (source === null) return always;
  const { propensityThreshold, requiredSegments, excludedSegments, conditions } = source;
  const parts = [
    ...textsOf(requiredSegments).map(member),
    ...textsOf(excludedSegments).map((segment): Formula => ({ ...member(segment), holds: false }) as Formula),
  ];
  if (conditions !== undefined && conditions !== null) parts.push(formulaOf({ condition: conditions }, fixed));
  if (typeof propensityThreshold === 'number') parts.push(unknown);
  return allOf(parts);
}
