import { emphasisOf, impactOf, relevanceOf } from './components.ts';
import { createPower } from './power.ts';
import { propensityOf } from './propensity.ts';
import type { ScoreMethod } from './scoring.ts';

/** `(priority/100) * (weight/100) * fit` */
const priorityWeighted: ScoreMethod = {
  name: 'priority_weighted',
  readsEvidence: false,
  score(_run, candidate) {
    const weight = candidate.creative === null ? 100 : candidate.creative.weight;
    return (candidate.priority / 100) * (weight / 100) * candidate.fit;
  },
};

/** `P * fit` */
const propensity: ScoreMethod = {
  name: 'propensity',
  readsEvidence: true,
  score: (run, candidate) => propensityOf(run, candidate) * candidate.fit,
};

const powerPropensity = createPower();
const powerRelevance = createPower();
const powerImpact = createPower();
const powerEmphasis = createPower();

/** `((P^wp * R^wr) * I^wi) * E^we * fit`; a component with exponent 0 is not worked out. */
const formula: ScoreMethod = {
  name: 'formula',
  readsEvidence: true,
  score(run, candidate, { exponents }) {
    const p = exponents.propensity === 0 ? 1 : powerPropensity(propensityOf(run, candidate), exponents.propensity);
    const r = exponents.relevance === 0 ? 1 : powerRelevance(relevanceOf(run, candidate), exponents.relevance);
    const i = exponents.impact === 0 ? 1 : powerImpact(impactOf(run, candidate), exponents.impact);
    const e = exponents.emphasis === 0 ? 1 : powerEmphasis(emphasisOf(candidate), exponents.emphasis);
    return p * r * i * e * candidate.fit;
  },
};

/** Score methods: one value and one line each. */
const methods: readonly ScoreMethod[] = [priorityWeighted, propensity, formula];

export const scoreMethods: ReadonlyMap<string, ScoreMethod> = new Map(methods.map((method) => [method.name, method]));
export const scoreMethodNames: readonly string[] = methods.map((method) => method.name);
export const holdoutMethod: ScoreMethod = priorityWeighted;
