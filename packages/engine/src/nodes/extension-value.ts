import { compileFormula, convertOutput } from '../formula/compile-formula.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { FormulaValue } from '../plan/formula.ts';
import type { Run } from '../plan/run.ts';
import type { FlowNode, Json } from '../plan/snapshot.ts';
import { componentsOf } from '../scoring/score-stage.ts';
import { focus } from '../stages/candidates.ts';

/** The formula of an extension point. */
export interface ExtensionValue {
  readonly paths: readonly (readonly string[])[];
  readonly readsRank: boolean;
  readonly readsPropensity: boolean;
  /** Null for a failure too. `rank`: of the candidate, from 1; null before scores. */
  of(run: Run, candidate: Candidate, rank: number | null): FormulaValue;
}

const components = ['propensity', 'relevance', 'impact', 'emphasis', 'fitMultiplier'];

/** A stored formula that cannot be compiled fails for each candidate. */
export const noValue: ExtensionValue = { paths: [], readsRank: false, readsPropensity: false, of: () => null };

/** Null: the node has no formula. */
export function compileValue({ config = {} }: FlowNode): ExtensionValue | null {
  if (config.kind !== 'formula') return null;
  const { formula: source, hook } = config;
  const compiled = compileFormula(typeof source === 'string' ? source : '', {
    bareNames: 'any',
    phase1: hook === 'pre_score',
  });
  if (!compiled.ok) return noValue;
  const { formula } = compiled;
  const reads = (names: readonly string[]): boolean =>
    formula.paths.some(([first, second = '']) => first === 'score' && names.includes(second));
  const readsComponents = reads(components);
  return {
    paths: formula.paths,
    readsRank: reads(['rank']),
    readsPropensity: reads(['propensity']),
    of(run, candidate, rank) {
      const { scope } = run;
      focus(run, candidate);
      const { placementId, offer } = candidate;
      scope.placement = placementId === null ? null : (run.plan.names.placement(placementId) ?? null);
      if (hook !== 'pre_score') {
        const total = run.scratch.columns.score[candidate.at]!;
        scope.score = { total, ...(readsComponents ? componentsOf(run, candidate) : {}), rank };
      }
      if (run.program.customFieldsOn && offer.computed.some(({ key }) => formula.bareNames.includes(key))) {
        scope.names = withComputed(run, candidate);
      }
      const value = formula.evaluate(scope);
      scope.score = null;
      scope.placement = null;
      return value;
    },
  };
}

/** The offer's own values and its computed custom fields, which output works out for the items of the answer only. */
function withComputed({ scope }: Run, { offer }: Candidate): object {
  const names: Record<string, Json> = Object.assign(Object.create(null), offer.customFields);
  scope.names = names;
  for (const { key, formula, outputType } of offer.computed) {
    names[key] = formula === null ? null : convertOutput(formula.evaluate(scope), outputType, scope);
  }
  return names;
}
