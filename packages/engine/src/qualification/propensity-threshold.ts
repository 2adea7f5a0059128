import { round6 } from '../arithmetic/decimal.ts';
import { numberField, textField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import { modelScore } from '../models/model-scores.ts';
import { flowModel } from '../models/plan-models.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { propensityOf } from '../scoring/propensity.ts';
import { settingsFor } from '../scoring/scoring.ts';
import { missingField, missingWords, type RuleKind } from './rule-kind.ts';

const fields = {
  minScore: numberField(0, 1, 'Minimum score to pass.'),
  modelKey: textField('Key of the model whose score is used. Default: the model the flow scores with.'),
  model: textField('Alias of `modelKey`.'),
  onMissing: missingField,
};

/**
 * Requires a model score of at least `minScore` (docs/design/api-catalogue.md 9). Without its own model, the rule asks
 * the one that the flow scores with, or if that names none, the flow's expectation of the offer. The score is computed
 * once, and the score node reuses it.
 */
export const propensityThreshold: RuleKind = {
  ruleType: 'propensity_threshold',
  defaultStage: 'match',
  check: (config) => parse(config).problems,
  fields,
  required: ['minScore'],
  compile(rule, builder) {
    const { minScore, modelKey, passesMissing } = parse(rule.config);
    const { models } = builder;
    const named = modelKey === null ? null : models.numberOf(modelKey);
    models.gates.add(named ?? flowModel);
    if (named !== null && named >= 0) models.asked.add(named);
    const scoreOf = (run: Run, candidate: Candidate): number | null => {
      const { ladder } = settingsFor(run.program.scoring, candidate);
      const number = named ?? run.assigned?.model ?? ladder.model;
      if (named === null && run.assigned === null && ladder.modelKey === null) return propensityOf(run, candidate);
      if (number < 0) return null;
      return modelScore(run, candidate, number);
    };
    return {
      perCustomer: false,
      needsCreative: false,
      readsScoring: named === null,
      failingOffers: null,
      passes(run, candidate) {
        const score = candidate === null ? null : scoreOf(run, candidate);
        return score === null ? passesMissing : score >= minScore;
      },
      explain(run, candidate) {
        const score = scoreOf(run, candidate);
        const model = modelKey ?? run.assigned?.name ?? settingsFor(run.program.scoring, candidate).ladder.modelKey;
        const actualScore = score === null ? null : round6(score);
        return {
          reason:
            actualScore === null
              ? 'no propensity'
              : `propensity ${withTwoDecimals(actualScore)} below ${withTwoDecimals(minScore)}`,
          detail: { model, minScore, actualScore },
        };
      },
    };
  },
};

/** Returns at least two decimals. */
function withTwoDecimals(value: number): string {
  const text = `${value}`;
  const decimals = text.includes('e') ? 2 : (text.split('.')[1] ?? '').length;
  if (decimals >= 2) return text;
  return decimals === 1 ? `${text}0` : `${text}.00`;
}

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const minScore = reader.number('minScore', fields.minScore);
  if (minScore === undefined && reader.problems.length === 0) reader.refuse('minScore', 'is required');
  const names = ['modelKey', 'model'].map((key) => {
    const name = reader.text(key);
    if (name === '') reader.refuse(key, 'must not be empty');
    return name;
  });
  const [modelKey, model] = names;
  if (modelKey !== undefined && model !== undefined && modelKey !== model) {
    reader.refuse('model', 'is an alias of modelKey and must have the same value');
  }
  const passesMissing = reader.word('onMissing', missingWords) === 'pass';
  return { minScore: minScore ?? 0, modelKey: modelKey ?? model ?? null, passesMissing, problems: reader.problems };
}
