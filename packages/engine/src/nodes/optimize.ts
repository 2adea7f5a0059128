import { compareText } from '../arithmetic/order.ts';
import { readNumber, readObject } from '../config-values.ts';
import { type Optimizing, objectiveNames } from '../plan/scoring.ts';
import type { FlowNode, Json } from '../plan/snapshot.ts';
import { isObjective } from '../scoring/objectives.ts';
import { type ProfileWeights, weightsOf } from '../scoring/strategies.ts';
import { mustBeOneOf } from '../words/word-texts.ts';
import { boolean, type NodeIssues, number, object, oneOf, reference, taking } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

const weightKeys = Object.fromEntries(objectiveNames.map((name) => [name, number(0, 1)]));

/** Several objectives weighed against each other (docs/design/api-decisioning.md 8). */
export const optimize: NodeKind = {
  type: 'optimize',
  phase: 2,
  single: true,
  keys: {
    profileId: reference('rankingProfile'),
    weights: taking({ keys: weightKeys }, checkWeights),
    combine: oneOf(['replace', 'blend']),
    blendFactor: number(0, 1),
    lagrangian: taking({ keys: { enabled: boolean } }, (value, path, issues) => {
      object({ keys: { enabled: boolean } })(value, path, issues);
      if (readObject(value).enabled === true) issues.unavailable(`${path}/enabled`, 'lagrangian');
    }),
  },
  required: [],
  check({ profileId, weights }, issues) {
    const hasProfile = (profileId ?? null) !== null;
    if (hasProfile === ((weights ?? null) !== null)) {
      issues.refuse('', 'invalid_config', 'must have either profileId or weights');
    }
  },
};

function checkWeights(value: Json, path: string, issues: NodeIssues): void {
  object({ keys: weightKeys })(value, path, {
    ...issues,
    // As in a ranking profile, an unknown objective is an error.
    unknownKey: (place) =>
      issues.refuse(place, 'invalid_config', mustBeOneOf(place.slice(place.lastIndexOf('/') + 1), objectiveNames)),
  });
  const weights = readObject(value);
  if (Object.keys(weights).some((name) => typeof weights[name] === 'number' && Number(weights[name]) > 0)) return;
  if (Object.values(weights).every((weight) => weight === null || weight === 0)) {
    issues.refuse(path, 'invalid_config', 'must have at least one weight above 0');
  }
}

/** Null: the flow has no such node, or its profile was deleted; then scores don't change. */
export function compileOptimize(node: FlowNode | undefined, profiles: ProfileWeights): Optimizing | null {
  if (node === undefined) return null;
  const { profileId, weights, combine, blendFactor } = node.config ?? {};
  const requestedWeights = weightsOf(profiles, profileId) ?? readObject(weights);
  // In key order, because the sum of doubles depends on it.
  const terms = Object.keys(requestedWeights)
    .sort(compareText)
    .flatMap((objective) => {
      const weight = readNumber(requestedWeights[objective], 0);
      return weight > 0 && isObjective(objective) ? [{ objective, weight }] : [];
    });
  if (terms.length === 0) return null;
  return {
    nodeId: node.id,
    terms,
    replaces: combine === 'replace',
    blendFactor: readNumber(blendFactor, 0.5),
  };
}
