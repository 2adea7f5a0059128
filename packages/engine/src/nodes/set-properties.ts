import { readObjects } from '../config-values.ts';
import { compileFormula } from '../formula/compile-formula.ts';
import type { Formula } from '../plan/formula.ts';
import type { Run } from '../plan/run.ts';
import type { FlowNode, Json } from '../plan/snapshot.ts';
import type { FormulaError, OutputStep } from '../plan/stages.ts';
import { utf8Bytes } from '../words/utf8-bytes.ts';
import { computeKey } from './compute.ts';
import { checkFormula, checkKeys, type KeyCheck, oneOf, taking } from './node-keys.ts';
import type { NodeKind, PlanParts } from './node-kind.ts';

const largestValueBytes = 4096;

const maxItems = 50;
const propertyKeys: Readonly<Record<string, KeyCheck>> = {
  key: computeKey,
  // These two are checked together, because one of them is required.
  value: () => undefined,
  formula: taking({ schema: { type: 'string' } }, () => undefined),
  target: oneOf(['decision', 'response']),
};

/** Fixed or computed values on each item or on the answer (docs/design/api-decisioning.md 8). */
export const setProperties: NodeKind = {
  type: 'set_properties',
  phase: 3,
  single: false,
  keys: {
    properties: taking({ keys: propertyKeys, required: ['key'], maxItems }, (value, path, issues) => {
      if (!Array.isArray(value) || value.length > maxItems) {
        return issues.refuse(path, 'invalid_config', `must be a list of at most ${maxItems} entries`);
      }
      value.forEach((entry, at) => {
        const [property] = readObjects([entry]);
        const place = `${path}/${at}`;
        if (property === undefined) {
          issues.refuse(place, 'invalid_config', 'must be an object');
          return;
        }
        checkKeys(property, { keys: propertyKeys, required: ['key'] }, place, issues);
        if ((property.formula ?? null) !== null)
          checkFormula(property.formula, `${place}/formula`, issues, issues.bareNames);
        else if (property.value === undefined)
          issues.refuse(place, 'invalid_config', 'must have either value or formula');
        // A value next to a formula would never be used.
        if ((property.formula ?? null) !== null && (property.value ?? null) !== null)
          issues.refuse(`${place}/value`, 'invalid_config', "can't be used together with formula");
        if (utf8Bytes(JSON.stringify(property.value ?? null)) > largestValueBytes) {
          issues.refuse(`${place}/value`, 'invalid_config', 'must be at most 4 KB of JSON');
        }
      });
    }),
  },
  required: [],
  output: (node, parts) => propertiesStep(node, parts),
};

interface Property {
  readonly key: string;
  readonly value: Json;
  readonly source: string | null;
  readonly formula: Formula | null;
  readonly problem: { readonly kind: string; readonly error: string } | null;
}

function propertiesStep(node: FlowNode, parts: PlanParts): OutputStep {
  const entries = readObjects(node.config?.properties);
  const read = (target: 'decision' | 'response'): readonly Property[] =>
    entries
      .filter((entry) => (entry.target === 'response') === (target === 'response'))
      .map((entry) => compileProperty(entry, parts));
  const ofItem = read('decision');
  const ofAnswer = read('response');
  return {
    type: 'set_properties',
    nodeId: node.id,
    item(run, item) {
      for (const property of ofItem) {
        const { value, error } = evaluate(run, property);
        item.personalization[property.key] = value;
        item.names[property.key] = value;
        if (error !== null) item.errors.push(error);
      }
    },
    answer(run, properties) {
      for (const property of ofAnswer) properties[property.key] = evaluate(run, property).value;
    },
  };
}

function compileProperty(entry: { readonly [key: string]: Json }, parts: PlanParts): Property {
  const key = typeof entry.key === 'string' ? entry.key : '';
  if (typeof entry.formula !== 'string')
    return { key, value: entry.value ?? null, source: null, formula: null, problem: null };
  const compiled = compileFormula(entry.formula, { bareNames: 'any' });
  if (!compiled.ok) {
    const first = compiled.problems[0];
    const problem = { kind: first?.kind ?? 'parse', error: first?.message ?? '' };
    return { key, value: null, source: entry.formula, formula: null, problem };
  }
  parts.builder.readPaths(compiled.formula.paths);
  return { key, value: null, source: entry.formula, formula: compiled.formula, problem: null };
}

function evaluate(run: Run, property: Property): { readonly value: Json; readonly error: FormulaError | null } {
  const { key, source, formula, problem } = property;
  if (source === null) return { value: property.value, error: null };
  const value = formula === null ? null : formula.evaluate(run.scope);
  const failure = formula === null ? problem : run.scope.failure;
  return {
    value,
    error: failure === null ? null : { name: key, kind: failure.kind, formula: source, error: failure.error },
  };
}
