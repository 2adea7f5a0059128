import { textField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import { readPath } from '../compile/paths.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import type { CompiledCondition } from '../plan/condition.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { focus } from '../stages/candidates.ts';
import { wishesOf } from '../why-not/edits.ts';
import { missingField, missingWords, operatorField, type RuleKind } from './rule-kind.ts';

const fields = {
  attribute: textField('Path under `customer`, `request`, `offer` or `channel`, such as `customer.age`.'),
  operator: operatorField,
  value: { description: 'Value to compare it with. Not used by `exists` and `not_exists`.' },
  onMissing: missingField,
};

/** A condition on one attribute of customer, request, offer or channel (docs/design/api-catalogue.md 1.3, 9). */
export const attributeCondition: RuleKind = {
  ruleType: 'attribute_condition',
  defaultStage: 'eligibility',
  check: (config) => parse(config).problems,
  fields,
  required: ['attribute', 'operator'],
  compile(rule, builder) {
    const { condition, attribute, operator, passMissing } = parse(rule.config);
    if (condition === null) throw new Error('compile was called with a config that check refuses');
    builder.readPaths(condition.paths);
    const path = condition.paths[0] ?? [];
    const expected = rule.config.value ?? null;
    const perCustomer = path[0] !== 'offer' && path[0] !== 'channel';
    return {
      perCustomer,
      needsCreative: path[0] === 'channel',
      failingOffers: null,
      timeless: !operator.endsWith('within_last_days'),
      wishes(run, candidate) {
        focus(run, candidate);
        return wishesOf(condition, run.scope);
      },
      passes(run, candidate) {
        if (candidate !== null) focus(run, candidate);
        if (condition.test(run.scope)) return true;
        return passMissing && readPath(run.scope, path) === null;
      },
      explain(run, candidate) {
        focus(run, candidate);
        const actual = readPath(run.scope, path);
        return {
          reason: failureText(attribute, actual, operator, expected),
          detail: { attribute, operator, expected, actual },
        };
      },
    };
  },
};

/** `age is 17, required gte 18` */
export function failureText(attribute: string, actual: Json, operator: string, expected: Json): string {
  const wanted = expected === null ? '' : ` ${show(expected)}`;
  return `${attribute} is ${actual === null ? 'missing' : show(actual)}, required ${operator}${wanted}`;
}

function show(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const attribute = reader.text('attribute') ?? '';
  if (attribute === '') reader.refuse('attribute', 'is required');
  const onMissing = reader.word('onMissing', missingWords);
  let condition: CompiledCondition | null = null;
  const operator = typeof config.operator === 'string' ? config.operator : '';
  if (operator === '') {
    reader.refuse('operator', 'is required');
  } else if (attribute !== '') {
    const leaf =
      config.value === undefined ? { field: attribute, operator } : { field: attribute, operator, value: config.value };
    const compiled = compileCondition(leaf);
    if (compiled.ok) condition = compiled.condition;
    else for (const { path, message } of compiled.problems) reader.refuse(renamed(path), message);
  }
  const stored = condition?.stored;
  const known = stored !== undefined && 'operator' in stored ? stored.operator : operator;
  // A missing value is what exists and not_exists ask for, so there is nothing to forgive.
  const passMissing = onMissing === 'pass' && known !== 'exists' && known !== 'not_exists';
  return { attribute, operator: known, condition, passMissing, problems: reader.problems };
}

/** The leaf's `field` is the rule's `attribute`. */
function renamed(path: string): string {
  return path === '/field' ? 'attribute' : path.slice(1);
}
