import { readObjects, readWord } from '../config-values.ts';
import { compileFormula, convertOutput } from '../formula/compile-formula.ts';
import type { Formula, OutputType } from '../plan/formula.ts';
import type { Run } from '../plan/run.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import type { OutputItem, OutputStep } from '../plan/stages.ts';
import { boolean, checkFormula, checkKeys, type KeyCheck, oneOf, taking, text } from './node-keys.ts';
import type { NodeKind, PlanParts } from './node-kind.ts';

const outputTypes = ['number', 'text', 'boolean'] as const;
export const computeKey = text(
  /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  'a name of at most 64 characters from A-Z, a-z, 0-9 and _',
);

const maxItems = 50;
const extraKeys: Readonly<Record<string, KeyCheck>> = {
  key: computeKey,
  // Looked at on its own: earlier entries are names that it may use.
  formula: taking({ schema: { type: 'string' } }, () => undefined),
  outputType: oneOf(outputTypes),
};

/** Formulas per item into `personalization[key]`; later ones see earlier ones by bare name. */
export const compute: NodeKind = {
  type: 'compute',
  phase: 3,
  single: false,
  keys: {
    formulaExtras: taking({ keys: extraKeys, required: ['key', 'formula'], maxItems }, (value, path, issues) => {
      if (!Array.isArray(value) || value.length > maxItems) {
        return issues.refuse(path, 'invalid_config', `must be a list of at most ${maxItems} entries`);
      }
      const names = new Set(issues.bareNames);
      value.forEach((entry, at) => {
        const [extra] = readObjects([entry]);
        const place = `${path}/${at}`;
        if (extra === undefined) {
          issues.refuse(place, 'invalid_config', 'must be an object');
          return;
        }
        checkKeys(extra, { keys: extraKeys, required: ['key'] }, place, issues);
        checkFormula(extra.formula, `${place}/formula`, issues, names);
        if (typeof extra.key === 'string') names.add(extra.key);
      });
    }),
    includeCustomFields: boolean,
  },
  required: [],
  output: (node, parts) => computeStep(node, parts),
};

interface Extra {
  readonly key: string;
  readonly source: string;
  readonly formula: Formula | null;
  readonly problem: { readonly kind: string; readonly error: string } | null;
  readonly outputType: OutputType;
}

function computeStep(node: FlowNode, parts: PlanParts): OutputStep {
  const extras = readObjects(node.config?.formulaExtras).map((extra): Extra => {
    const source = typeof extra.formula === 'string' ? extra.formula : '';
    const key = typeof extra.key === 'string' ? extra.key : '';
    const outputType = readWord(extra.outputType, outputTypes) ?? 'number';
    const compiled = compileFormula(source, { bareNames: 'any' });
    if (!compiled.ok) {
      const first = compiled.problems[0];
      return {
        key,
        source,
        formula: null,
        problem: { kind: first?.kind ?? 'parse', error: first?.message ?? '' },
        outputType,
      };
    }
    parts.builder.readPaths(compiled.formula.paths);
    return { key, source, formula: compiled.formula, problem: null, outputType };
  });
  return {
    type: 'compute',
    nodeId: node.id,
    item(run, item) {
      for (const extra of extras) evaluateInto(run, item, extra);
    },
    answer: () => undefined,
  };
}

/** Evaluates one named formula of an item; a failure becomes its one `_errors` entry, the item stays. */
export function evaluateInto(run: Run, item: OutputItem, extra: Extra): void {
  const { scope } = run;
  const { key, source, formula, problem } = extra;
  const value = formula === null ? null : convertOutput(formula.evaluate(scope), extra.outputType, scope);
  item.personalization[key] = value;
  item.names[key] = value;
  const failure = formula === null ? problem : scope.failure;
  if (failure !== null) item.errors.push({ name: key, kind: failure.kind, formula: source, error: failure.error });
}
