import type { ScoreMethod } from '../plan/scoring.ts';
import { fitOf } from '../scratch.ts';
import { emphasisOf, writeImpact, writeRelevance } from './components.ts';
import { createPower } from './power.ts';
import { workOutPropensity } from './propensity.ts';

/** `(priority/100) * (weight/100) * fit` */
const priorityWeighted: ScoreMethod = {
  name: 'priority_weighted',
  readsEvidence: false,
  score({ scratch: { columns } }, { at, priority, creative }) {
    const weight = creative === null ? 100 : creative.weight;
    columns.score[at] = (priority / 100) * (weight / 100) * fitOf(columns, at);
  },
};

/** `P * fit` */
const propensity: ScoreMethod = {
  name: 'propensity',
  readsEvidence: true,
  score(run, candidate) {
    const { columns } = run.scratch;
    const { at } = candidate;
    workOutPropensity(run, candidate);
    columns.score[at] = columns.propensity[at]! * fitOf(columns, at);
  },
};

const raisePropensity = createPower();
const raiseRelevance = createPower();
const raiseImpact = createPower();
const raiseEmphasis = createPower();

const factors = new Float64Array(4);

/** `((P^wp * R^wr) * I^wi) * E^we * fit`; a component with exponent 0 is not worked out. */
const formula: ScoreMethod = {
  name: 'formula',
  readsEvidence: true,
  score(run, candidate, { exponents }) {
    const { columns } = run.scratch;
    const { at } = candidate;
    factors.fill(1);
    if (exponents.propensity !== 0) {
      workOutPropensity(run, candidate);
      factors[0] = columns.propensity[at]!;
      if (exponents.propensity !== 1) raisePropensity(factors, 0, exponents.propensity);
    }
    if (exponents.relevance !== 0) {
      writeRelevance(run, candidate, factors, 1);
      if (exponents.relevance !== 1) raiseRelevance(factors, 1, exponents.relevance);
    }
    if (exponents.impact !== 0) {
      writeImpact(run, candidate, factors, 2);
      if (exponents.impact !== 1) raiseImpact(factors, 2, exponents.impact);
    }
    if (exponents.emphasis !== 0) {
      factors[3] = emphasisOf(candidate);
      if (exponents.emphasis !== 1) raiseEmphasis(factors, 3, exponents.emphasis);
    }
    columns.score[at] = factors[0]! * factors[1]! * factors[2]! * factors[3]! * fitOf(columns, at);
  },
};

/** Score methods: one value and one line each. */
const methods: readonly ScoreMethod[] = [priorityWeighted, propensity, formula];

export const scoreMethods: ReadonlyMap<string, ScoreMethod> = new Map(methods.map((method) => [method.name, method]));
export const scoreMethodNames: readonly string[] = methods.map((method) => method.name);
export const holdoutMethod: ScoreMethod = priorityWeighted;
/** The method whose components have exponents. */
export const formulaMethod: ScoreMethod = formula;
