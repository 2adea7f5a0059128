import {
  type EvaluationRequest,
  type EvaluationSpec,
  estimatorNames,
  evaluationDefaults,
  type StudyStarted,
} from '@arbiter/contract';
import type { Tx } from '../../../../db/index.ts';
import type { RequestFacts } from '../../../../http/handler.ts';
import { AppError, invalid } from '../../../../platform/app-error.ts';
import { hasOutcomeType } from '../../../catalogue/outcomes/index.ts';
import { readSettings } from '../../../identity/settings/index.ts';
import { valueCurrencies } from '../../interactions/index.ts';
import { requireRange } from '../range.ts';
import { type StudyPorts, startStudy } from '../studies.service.ts';
import { rewardWords } from './rewards.ts';

/**
 * Starts an evaluation. See `startStudy`. Throws 400 for weights that don't belong to the reward, 400 `unknown_outcome` and 422
 * `not_comparable` when values have several currencies.
 */
export const startEvaluation = (
  ports: StudyPorts,
  facts: RequestFacts,
  flow: string,
  body: EvaluationRequest,
): Promise<StudyStarted> =>
  startStudy(ports, facts, {
    ...{ kind: 'evaluate', flow, version: body.version, overlay: body.overlay ?? [], base: null },
    spec: (tx) => specOf(tx, body),
  });

async function specOf(tx: Tx, body: EvaluationRequest): Promise<EvaluationSpec> {
  await requireReward(tx, body);
  const range = await requireRange(tx, body, (await readSettings(tx)).timezone);
  if (body.reward === 'value') await requireOneCurrency(tx, range);
  const { estimators = [...estimatorNames], segmentIds = [], ...asked } = body;
  return {
    ...evaluationDefaults,
    ...asked,
    ...range,
    estimators,
    segmentIds: segmentIds.map((id) => id.toLowerCase()),
  };
}

async function requireReward(tx: Tx, { reward, outcomeWeights, valueCap }: EvaluationRequest): Promise<void> {
  const isWeighted = reward === 'weighted';
  if (isWeighted && Object.values(outcomeWeights ?? {}).every((weight) => weight === 0)) {
    throw invalid('/outcomeWeights', 'must have a weight other than 0');
  }
  if (!isWeighted && outcomeWeights !== undefined)
    throw invalid('/outcomeWeights', 'is only allowed with the reward `weighted`');
  if (reward !== 'value' && valueCap !== undefined)
    throw invalid('/valueCap', 'is only allowed with the reward `value`');
  const keys = isWeighted ? Object.keys(outcomeWeights ?? {}) : rewardWords.includes(reward) ? [] : [reward];
  for (const key of keys) {
    if (await hasOutcomeType(tx, key)) continue;
    const path = isWeighted ? `/outcomeWeights/${key}` : '/reward';
    throw new AppError('unknown_outcome', {
      detail: `No outcome type has the key ${key}.`,
      errors: [
        {
          path,
          message: `must be the key of an outcome type${isWeighted ? '' : `, or one of ${rewardWords.join(', ')}`}`,
        },
      ],
    });
  }
}

async function requireOneCurrency(tx: Tx, { from, to }: { readonly from: string; readonly to: string }): Promise<void> {
  const currencies = await valueCurrencies(tx, new Date(from), new Date(to));
  if (currencies.length <= 1) return;
  throw new AppError('not_comparable', {
    detail: `Values in this range are in ${currencies.join(' and ')}. Choose a range with a single currency.`,
    errors: [{ path: '/reward', message: "can't be `value` if the range has values in several currencies" }],
  });
}
