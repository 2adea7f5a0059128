import type { Json } from '../snapshot.ts';
import { mustBeOneOf } from '../words/word-texts.ts';
import { boolean, type NodeIssues, number, object, oneOf, reference } from './node-keys.ts';
import { type NodeKind, readObject } from './node-kind.ts';

/** Objectives of ranking profiles (docs/design/api-catalogue.md 17). */
const objectives: readonly string[] = [
  'propensity',
  'relevance',
  'impact',
  'emphasis',
  'revenue',
  'margin',
  'businessValue',
  'engagement',
  'conversion',
  'recency',
  'fatigue',
  'fairness',
];

/** Several objectives weighed against each other (docs/design/api-decisioning.md 8). */
export const optimize: NodeKind = {
  type: 'optimize',
  phase: 2,
  single: true,
  keys: {
    profileId: reference('rankingProfile'),
    weights: checkWeights,
    combine: oneOf(['replace', 'blend']),
    blendFactor: number(0, 1),
    lagrangian: object({ keys: { enabled: boolean } }),
  },
  required: [],
  unbuilt: true,
  check({ profileId, weights }, issues) {
    const hasProfile = (profileId ?? null) !== null;
    if (hasProfile === ((weights ?? null) !== null)) {
      issues.refuse('', 'invalid_config', 'must have either profileId or weights');
    }
  },
};

function checkWeights(value: Json, path: string, issues: NodeIssues): void {
  object({ keys: Object.fromEntries(objectives.map((name) => [name, number(0, 1)])) })(value, path, {
    ...issues,
    // As in a ranking profile, an objective that does not exist is an error.
    unknownKey: (place) =>
      issues.refuse(place, 'invalid_config', mustBeOneOf(place.slice(place.lastIndexOf('/') + 1), objectives)),
  });
  const weights = readObject(value);
  if (Object.keys(weights).some((name) => typeof weights[name] === 'number' && Number(weights[name]) > 0)) return;
  if (Object.values(weights).every((weight) => weight === null || weight === 0)) {
    issues.refuse(path, 'invalid_config', 'needs at least one weight above 0');
  }
}
