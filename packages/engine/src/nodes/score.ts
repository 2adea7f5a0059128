import type { JsonObject } from '../compile/config-problems.ts';
import { scoreMethodNames, scoreMethods } from '../scoring/score-methods.ts';
import type { Exponents, Ladder, ScoreSettings, Scoring } from '../scoring/scoring.ts';
import type { SnapshotChannel } from '../snapshot.ts';
import { anyText, boolean, integer, number, type ObjectShape, object, objects, oneOf, reference } from './node-keys.ts';
import { type NodeKind, readNumber, readObject, readObjects } from './node-kind.ts';

const exponentKeys = {
  propensityWeight: number(0, 5),
  relevanceWeight: number(0, 5),
  impactWeight: number(0, 5),
  emphasisWeight: number(0, 5),
};

/** Keys of a score node, and of `flowConfig.scoring`, which stands for one (docs/design/api-decisioning.md 7, 8). */
export const scoreShape: ObjectShape = {
  keys: {
    method: oneOf(scoreMethodNames),
    modelKey: reference('model'),
    formula: object({ keys: exponentKeys }),
    propensitySource: oneOf(['auto', 'adaptive_first', 'model_first']),
    evidence: object({
      keys: {
        offerMin: integer(1, 10_000),
        categoryMin: integer(1, 10_000),
        globalMin: integer(1, 10_000),
        smoothing: number(0, 1000),
      },
    }),
    minPropensity: number(0, 1),
    minScore: number(0, Number.MAX_VALUE),
    strategyProfileId: reference('rankingProfile'),
    strategyOverrides: objects(20, {
      keys: {
        scope: oneOf(['category', 'productType', 'channel']),
        value: anyText,
        profileId: reference('rankingProfile'),
      },
      required: ['scope', 'value', 'profileId'],
    }),
    overrides(value, path, issues) {
      objects(50, {
        keys: {
          channelId: reference('channel'),
          channelType: anyText,
          method: oneOf(scoreMethodNames),
          modelKey: reference('model'),
          formula: object({ keys: exponentKeys }),
        },
      })(value, path, issues);
      readObjects(value).forEach((entry, at) => {
        if (((entry.channelId ?? null) === null) === ((entry.channelType ?? null) === null)) {
          issues.refuse(`${path}/${at}`, 'invalid_config', 'must name either channelId or channelType');
        }
      });
    },
    championChallenger(value, path, issues) {
      if (readObject(value).enabled === true) {
        issues.refuse(path, 'invalid_config', 'champion and challengers are not available');
      }
    },
    shadowModelKeys(value, path, issues) {
      if (!Array.isArray(value) || value.length > 0)
        issues.refuse(path, 'invalid_config', 'shadow models are not available');
    },
    computeShap(value, path, issues) {
      boolean(value, path, issues);
      if (value === true) issues.refuse(path, 'invalid_config', 'computeShap is not available');
    },
  },
};

export const score: NodeKind = { type: 'score', phase: 2, single: true, keys: scoreShape.keys, required: [] };

const ones: Exponents = { propensity: 1, relevance: 1, impact: 1, emphasis: 1 };

/** The score stage of a score node's config, or of `flowConfig.scoring`. */
export function compileScoring(
  nodeId: string | null,
  config: JsonObject,
  channels: readonly SnapshotChannel[],
): Scoring {
  const settings = readSettings(config, null);
  const overrides = readObjects(config.overrides);
  const byChannel = channels.map((channel) => {
    const found = overrides.find(
      ({ channelId, channelType }) =>
        (typeof channelId === 'string' && channelId.toLowerCase() === channel.id) ||
        channelType === channel.channelType,
    );
    return found === undefined ? settings : readSettings(found, settings);
  });
  return {
    nodeId,
    settings,
    byChannel,
    overridden: overrides.length > 0,
    minPropensity: readNumber(config.minPropensity, 0),
    minScore: readNumber(config.minScore, 0),
  };
}

function readSettings(config: JsonObject, base: ScoreSettings | null): ScoreSettings {
  const name = typeof config.method === 'string' ? config.method : (base?.method.name ?? 'priority_weighted');
  const method = scoreMethods.get(name);
  if (method === undefined) throw new Error(`score method ${name} is not available`);
  return {
    method,
    exponents: readExponents(config, base?.exponents ?? ones),
    ladder: readLadder(config, base?.ladder ?? null),
  };
}

function readExponents(config: JsonObject, base: Exponents): Exponents {
  if ((config.formula ?? null) === null) return base;
  const { propensityWeight, relevanceWeight, impactWeight, emphasisWeight } = readObject(config.formula);
  return {
    propensity: readNumber(propensityWeight, 1),
    relevance: readNumber(relevanceWeight, 1),
    impact: readNumber(impactWeight, 1),
    emphasis: readNumber(emphasisWeight, 1),
  };
}

function readLadder(config: JsonObject, base: Ladder | null): Ladder {
  const modelKey = typeof config.modelKey === 'string' ? config.modelKey : (base?.modelKey ?? null);
  if (base !== null) return { ...base, modelKey };
  const { offerMin, categoryMin, globalMin, smoothing } = readObject(config.evidence);
  return {
    modelKey,
    modelFirst: config.propensitySource !== 'adaptive_first' && modelKey !== null,
    offerMin: readNumber(offerMin, 50),
    categoryMin: readNumber(categoryMin, 20),
    globalMin: readNumber(globalMin, 10),
    smoothing: readNumber(smoothing, 10),
  };
}
