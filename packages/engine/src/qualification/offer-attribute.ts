import { textField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import { readPath, splitPath } from '../compile/paths.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import { testOperator } from '../conditions/match.ts';
import { emptyScope } from '../formula/scope.ts';
import type { CompiledCondition } from '../plan/condition.ts';
import type { PlanOffer } from '../plan/offer.ts';
import type { Run } from '../plan/run.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { focus } from '../stages/candidates.ts';
import { failureText } from './attribute-condition.ts';
import { missingField, missingWords, operatorField, type RuleKind } from './rule-kind.ts';

const fields = {
  attribute: textField('Path under `offer`, such as `offer.metadata.tier`.'),
  operator: operatorField,
  value: { description: 'Value to compare it with. Not used by `exists` and `not_exists`.' },
  valueFrom: textField('Path of the value to compare with, instead of `value`. Example: `customer.tier`.'),
  onMissing: missingField,
};

/**
 * A condition on the candidate's offer: `attribute` is a path under `offer`, compared with `value` or the value at
 * `valueFrom` (docs/design/api-catalogue.md 9).
 */
export const offerAttribute: RuleKind = {
  ruleType: 'offer_attribute',
  defaultStage: 'fit',
  check: (config) => parse(config).problems,
  fields,
  required: ['attribute', 'operator'],
  compile(rule, builder, offers) {
    const { attribute, operator, field, valueFrom, condition, passMissing } = parse(rule.config);
    const path = splitPath(field);
    const source = valueFrom === undefined ? null : splitPath(valueFrom);
    if (source !== null) builder.readPaths([source]);
    const wanted = (run: Run): Json => (source === null ? (rule.config.value ?? null) : readPath(run.scope, source));
    const known = condition?.stored;
    const holds = (run: Run): boolean => {
      if (source === null || known === undefined || !('operator' in known)) return condition?.test(run.scope) ?? false;
      const value = wanted(run);
      return value !== null && testOperator(known.operator, readPath(run.scope, path), value, run.now);
    };
    const isStatic = source === null && !operator.endsWith('within_last_days');
    const passes = (run: Run): boolean =>
      holds(run) || (passMissing && (readPath(run.scope, path) === null || (source !== null && wanted(run) === null)));
    return {
      perCustomer: false,
      needsCreative: source?.[0] === 'channel',
      timeless: isStatic,
      failingOffers: isStatic ? failing(offers, condition, path, passMissing) : null,
      passes(run, candidate) {
        if (candidate !== null) focus(run, candidate);
        return passes(run);
      },
      explain(run, candidate) {
        focus(run, candidate);
        const actual = readPath(run.scope, path);
        const expected = wanted(run);
        return {
          reason: failureText(`offer ${attribute}`, actual, operator, expected),
          detail: { attribute, operator, expected, actual },
        };
      },
    };
  },
};

/** Returns offers whose own data fail the condition, whatever the decision. */
function failing(
  offers: readonly PlanOffer[],
  condition: CompiledCondition | null,
  path: readonly string[],
  passMissing: boolean,
): readonly number[] {
  const scope = emptyScope();
  return offers
    .filter(({ view }) => {
      scope.offer = view;
      return !(condition?.test(scope) ?? false) && !(passMissing && readPath(scope, path) === null);
    })
    .map(({ ordinal }) => ordinal);
}

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const attribute = reader.text('attribute') ?? '';
  if (attribute === '') reader.refuse('attribute', 'is required');
  const field = attribute.startsWith('offer.') ? attribute : `offer.${attribute}`;
  const onMissing = reader.word('onMissing', missingWords);
  const valueFrom = reader.text('valueFrom');
  const operator = reader.text('operator') ?? '';
  let condition: CompiledCondition | null = null;
  if (operator === '') {
    reader.refuse('operator', 'is required');
  } else if (attribute !== '') {
    // With valueFrom the value is known only at decision time, so check the operator with a value it accepts.
    const value = valueFrom === undefined ? config.value : sampleFor(operator);
    const compiled = compileCondition(value === undefined ? { field, operator } : { field, operator, value });
    if (compiled.ok) condition = compiled.condition;
    else
      for (const { path, message } of compiled.problems)
        reader.refuse(path === '/field' ? 'attribute' : path.slice(1), message);
  }
  const stored = condition?.stored;
  const known = stored !== undefined && 'operator' in stored ? stored.operator : operator;
  const passMissing = onMissing === 'pass' && known !== 'exists' && known !== 'not_exists';
  return { attribute, field, operator: known, valueFrom, condition, passMissing, problems: reader.problems };
}

function sampleFor(operator: string): Json | undefined {
  if (['in', 'not_in'].includes(operator)) return [1];
  if (operator === 'between') return [1, 1];
  if (['exists', 'not_exists', 'is_null', 'is_not_null'].includes(operator)) return undefined;
  return operator === 'starts_with' ? 'a' : 1;
}
