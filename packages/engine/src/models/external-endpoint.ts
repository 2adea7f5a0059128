import { integerField, numberField, textField } from '../compile/config-fields.ts';
import { readConfig, unknownKeys } from '../compile/config-problems.ts';
import { readNumber, readObject } from '../config-values.ts';
import { isObject } from '../json-object.ts';
import type { FormulaScope } from '../plan/formula.ts';
import type { EndpointProgram } from '../plan/models.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import type { ModelKind } from './model-kind.ts';
import { type Feature, predictorFeatures, predictorPaths } from './predictors.ts';

const defaultTimeoutMs = 3000;
const longestUrl = 2000;
const longestSecret = 4000;
const longestName = 255;
/** `$`, then names separated by dots. */
const pathPattern = /^\$(\.[^.[\]]{1,255}){0,5}$/;

const mappingFields = {
  scoresPath: {
    ...textField('Where the scores are in the response: `$`, then names separated by dots.'),
    default: '$.scores',
  },
  offerIdField: { ...textField('In a list of objects: the property with the offer.'), default: 'offerId' },
  scoreField: { ...textField('In a list of objects: the property with the score.'), default: 'score' },
};

const fields = {
  url: textField('Address to ask, https. Checked like those of webhooks. Up to 2,000 characters.'),
  authSecret: textField(
    'Sent as `Authorization: Bearer …`. Stored encrypted and returned as bullets; send them back to keep it. It belongs to the scheme, host and port of `url`.',
  ),
  timeoutMs: integerField(50, 5000, 'Time to wait for the response, in milliseconds.', { default: defaultTimeoutMs }),
  fallbackScore: numberField(
    0,
    1,
    'Score of offers without a valid score in the response. Without it, the model is not used for them, and the decision is marked as degraded.',
  ),
  responseMapping: {
    type: 'object',
    properties: mappingFields,
    description: 'Where the response has the scores, from 0 to 1: an object of scores by offer, or a list of objects.',
  },
};

/**
 * Asks another server, before the decision, once (docs/design/api-decisioning.md 15). A decision scores with the answer
 * that its input holds, so that a replay asks nobody.
 */
export const externalEndpoint: ModelKind = {
  type: 'external_endpoint',
  isBandit: false,
  fields,
  required: ['url'],
  check(config) {
    const reader = readConfig(config);
    const url = reader.text('url');
    if (url === undefined && reader.problems.length === 0) reader.refuse('url', 'is required');
    if (url !== undefined && url.length > longestUrl)
      reader.refuse('url', `must have at most ${longestUrl} characters`);
    const secret = reader.text('authSecret');
    if (secret !== undefined && (secret === '' || secret.length > longestSecret)) {
      reader.refuse('authSecret', `must have 1 to ${longestSecret} characters`);
    }
    reader.integer('timeoutMs', fields.timeoutMs);
    reader.number('fallbackScore', fields.fallbackScore);
    const mapping = config.responseMapping ?? null;
    if (mapping !== null && !isObject(mapping)) reader.refuse('responseMapping', 'must be an object');
    const { scoresPath, offerIdField, scoreField } = readObject(mapping);
    if (scoresPath != null && !(typeof scoresPath === 'string' && pathPattern.test(scoresPath))) {
      reader.refuse('responseMapping/scoresPath', 'must be a path such as $.scores, with at most 5 names');
    }
    for (const [name, value] of Object.entries({ offerIdField, scoreField })) {
      const fits = value == null || (typeof value === 'string' && value !== '' && value.length <= longestName);
      if (!fits) reader.refuse(`responseMapping/${name}`, `must be a string of 1 to ${longestName} characters`);
    }
    return reader.problems;
  },
  remarks: (config) => [
    ...unknownKeys(config, Object.keys(fields)),
    ...unknownKeys(config.responseMapping, Object.keys(mappingFields), '/responseMapping'),
  ],
  state: null,
  learn: null,
  compile({ config, predictors }) {
    const fallback = readNumber(config.fallbackScore, Number.NaN);
    return {
      paths: predictorPaths(predictors),
      isRandom: false,
      endpoint: endpointOf(config, predictorFeatures(predictors)),
      begin(answer) {
        const score = (offerId: string): number => {
          const given = answer !== null && Object.hasOwn(answer, offerId) ? answer[offerId] : null;
          return typeof given === 'number' && given >= 0 && given <= 1 ? given : fallback;
        };
        return {
          score,
          raw: score,
          explain: () => [],
          greedy: score,
          uniformChance: null,
          isUniform: false,
        };
      },
    };
  },
};

function endpointOf(config: JsonObject, features: ReadonlyMap<string, Feature>): EndpointProgram {
  const { scoresPath, offerIdField, scoreField } = readObject(config.responseMapping);
  const textOr = (value: Json | undefined, usual: string): string => (typeof value === 'string' ? value : usual);
  const valuesOf = (read: (feature: Feature) => Json): JsonObject =>
    Object.fromEntries([...features].flatMap(([name, feature]) => keepValue(name, read(feature))));
  return {
    url: textOr(config.url, ''),
    timeoutMs: readNumber(config.timeoutMs, defaultTimeoutMs),
    mapping: {
      scoresPath: textOr(scoresPath, '$.scores').split('.').slice(1),
      offerIdField: textOr(offerIdField, 'offerId'),
      scoreField: textOr(scoreField, 'score'),
    },
    attributes: (scope: FormulaScope) => withoutOffer(scope, () => valuesOf((feature) => feature.read(scope))),
    offerAttributes: (scope: FormulaScope) => valuesOf((feature) => feature.readOffer(scope)),
  };
}

const keepValue = (name: string, value: Json): [string, Json][] => (value === null ? [] : [[name, value]]);

function withoutOffer<T>(scope: FormulaScope, read: () => T): T {
  const { offer } = scope;
  scope.offer = null;
  const value = read();
  scope.offer = offer;
  return value;
}
