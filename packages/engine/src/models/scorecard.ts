import { exp } from '../arithmetic/exp.ts';
import { numberField, textField, wordField } from '../compile/config-fields.ts';
import { type ConfigProblem, type ConfigRemark, readConfig, unknownKeys } from '../compile/config-problems.ts';
import { compileConditionList } from '../conditions/compile-condition.ts';
import { type Matcher, matcherOf } from '../conditions/match.ts';
import { canonicalOperator, LIST_OPERATORS } from '../conditions/operator.ts';
import { readNumber, readObjects } from '../config-values.ts';
import { isObject } from '../json-object.ts';
import type { FormulaScope } from '../plan/formula.ts';
import type { Contribution } from '../plan/models.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import type { ModelKind } from './model-kind.ts';
import { type Feature, featureOf, featureProblem, predictorPaths } from './predictors.ts';

const maxRules = 200;
/** Points and bounds; sums of 200 of them are exact to far below the sixth decimal. */
const maxPoints = 1_000_000;
const normalizations = ['sigmoid', 'linear'] as const;
const pointsOfConfig = (description: string, usual: number) =>
  numberField(-maxPoints, maxPoints, description, { default: usual });

const ruleFields = {
  id: { type: 'string', minLength: 1, maxLength: 64, description: 'ID of the rule. Unique in the model.' },
  field: textField('Value to compare: the key of a predictor, or its path.'),
  operator: wordField([...LIST_OPERATORS], 'How to compare it with `value`.'),
  value: { description: 'Value to compare it with. Not used by `exists` and `not_exists`.' },
  points: numberField(-maxPoints, maxPoints, 'Points to add when the rule matches.'),
  description: { type: 'string', maxLength: 500, description: 'Free text for people; it does not affect scores.' },
};

const fields = {
  baseScore: pointsOfConfig('Points before any rule is applied.', 50),
  minScore: pointsOfConfig('Points that map to the score 0.', 0),
  maxScore: pointsOfConfig('Points that map to the score 1. Must be above `minScore`.', 100),
  normalization: wordField(normalizations, 'How points are converted to a score between 0 and 1.', 'sigmoid'),
  rules: {
    type: 'array',
    maxItems: maxRules,
    items: { type: 'object', properties: ruleFields, required: ['id', 'field', 'operator', 'points'] },
    description: 'Rules that add points.',
    default: [],
  },
};

/**
 * Adds the points of the rules that hold, scaled to between 0 and 1 (docs/design/api-decisioning.md 15). Doesn't learn.
 */
export const scorecard: ModelKind = {
  type: 'scorecard',
  isBandit: false,
  fields,
  required: [],
  check,
  remarks: (config) => [
    ...unknownKeys(config, Object.keys(fields)),
    ...readObjects(config.rules).flatMap((rule, at): ConfigRemark[] => [
      ...unknownKeys(rule, Object.keys(ruleFields), `/rules/${at}`),
      ...(rule.points === 0
        ? [{ path: `/rules/${at}/points`, nearest: null, reason: 'A rule with 0 points changes no score.' }]
        : []),
    ]),
  ],
  state: null,
  learn: null,
  compile({ config, predictors }) {
    const base = readNumber(config.baseScore, 50);
    const low = readNumber(config.minScore, 0);
    const high = readNumber(config.maxScore, 100);
    const linear = config.normalization === 'linear';
    const rules = readObjects(config.rules).map((rule) => compileRule(rule, predictors));
    const paths = [...rules.flatMap(({ feature }) => feature.paths), ...predictorPaths(predictors)];
    const readsOffer = rules.some(({ feature }) => feature.paths.some(([root]) => root === 'offer'));
    return {
      paths,
      isRandom: false,
      begin(_state, scope) {
        let shared = Number.NaN;
        const raw = (): number => {
          if (!readsOffer && !Number.isNaN(shared)) return shared;
          shared = pointsOf(base, rules, scope);
          return shared;
        };
        const score = (): number => {
          const points = raw();
          if (linear) return Math.min(1, Math.max(0, (points - low) / (high - low)));
          return 1 / (1 + exp((-6 * (points - (low + high) / 2)) / (high - low)));
        };
        return {
          score,
          raw,
          greedy: score,
          uniformChance: null,
          isUniform: false,
          explain: () =>
            rules.flatMap((rule): Contribution[] => {
              const value = rule.feature.read(scope);
              return rule.match(value, scope.now) ? [{ feature: rule.field, value, contribution: rule.points }] : [];
            }),
        };
      },
    };
  },
};

interface Rule {
  readonly field: string;
  readonly feature: Feature;
  readonly match: Matcher;
  readonly points: number;
}

function compileRule(rule: JsonObject, predictors: readonly Json[]): Rule {
  const field = String(rule.field);
  const operator = canonicalOperator(String(rule.operator));
  if (operator === null) throw new Error(`the scorecard has a rule with the operator ${rule.operator}`);
  return {
    field,
    feature: featureOf(field, predictors),
    match: matcherOf(operator, rule.value),
    points: readNumber(rule.points, 0),
  };
}

/** In the order of the rules, because sums of doubles depend on it. */
function pointsOf(base: number, rules: readonly Rule[], scope: FormulaScope): number {
  let points = base;
  for (const rule of rules) if (rule.match(rule.feature.read(scope), scope.now)) points += rule.points;
  return points;
}

function check(config: JsonObject): ConfigProblem[] {
  const reader = readConfig(config);
  reader.number('baseScore', fields.baseScore);
  const low = reader.number('minScore', fields.minScore) ?? 0;
  const high = reader.number('maxScore', fields.maxScore) ?? 100;
  reader.word('normalization', normalizations);
  const problems: ConfigProblem[] = [...reader.problems];
  if (problems.length === 0 && low >= high) problems.push({ path: '/maxScore', message: 'must be above minScore' });
  const rules = config.rules ?? [];
  if (!Array.isArray(rules)) return [...problems, { path: '/rules', message: 'must be a list' }];
  if (rules.length > maxRules) problems.push({ path: '/rules', message: `must have at most ${maxRules} rules` });
  const ids = new Set<string>();
  rules.slice(0, maxRules).forEach((rule: Json, at) => {
    const path = `/rules/${at}`;
    if (isObject(rule)) problems.push(...ruleProblems(rule, path, ids));
    else problems.push({ path, message: 'must be an object' });
  });
  return problems;
}

function ruleProblems(rule: JsonObject, path: string, ids: Set<string>): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse = (key: string, message: string): void => void problems.push({ path: `${path}/${key}`, message });
  const { id, points, description } = rule;
  if (typeof id !== 'string' || id === '' || id.length > 64) refuse('id', 'must be a string of 1 to 64 characters');
  else if (ids.has(id)) refuse('id', 'is listed more than once');
  else ids.add(id);
  const wrong = featureProblem(rule.field);
  if (wrong !== null) refuse('field', wrong);
  if (typeof points !== 'number' || !(Math.abs(points) <= maxPoints)) {
    refuse('points', `must be a number from ${-maxPoints} to ${maxPoints}`);
  }
  const text = description ?? null;
  if (text !== null && (typeof text !== 'string' || text.length > 500))
    refuse('description', 'must be a string of at most 500 characters');
  // The operator and its value are judged as in the conditions of flows; the field is judged above.
  const condition = { field: 'attributes.any', operator: rule.operator ?? null, value: rule.value ?? null };
  const compiled = compileConditionList([condition], 'AND', { namespaces: new Set(['attributes']) });
  if (!compiled.ok) {
    for (const problem of compiled.problems)
      problems.push({ path: `${path}${problem.path.slice('/0'.length)}`, message: problem.message });
  }
  return problems;
}
