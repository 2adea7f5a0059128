import type { ConformanceCase } from '../../packages/engine/test/conformance/case.ts';
import type { Standing } from './standing.ts';

/** Why a case can't be expressed over HTTP. */
export const skipReasons = {
  campaign: 'a campaign, which no request can name',
  breaker: 'the breaker of a model, which opens by failures alone',
  assigned: 'a variant that was assigned before by other shares, or an experiment with a model that is no more',
  metric: 'values of behavioral metrics, which no call sets',
  chance: 'no request was found whose chance is that of the case',
  oldPlan: 'it expects what plans of this version do not do, or evidence that adds up to nothing',
  notShown: 'what it expects stands in no answer',
  clock: 'its clock is one that no zone shows',
  suppression: 'a suppression that a policy wrote',
} as const;
export type Skip = keyof typeof skipReasons;

type Source = ConformanceCase['source'];

const lacksModel =
  ({ models = [] }: Source) =>
  ({ champion, challengers }: NonNullable<Source['experiments']>[number]): boolean =>
    [champion, ...challengers.map(({ model }) => model)].some((key) => !models.some((model) => model.key === key));

export function skipOf({ source }: ConformanceCase, standing: Standing, keys: readonly string[]): Skip | null {
  if (source.metrics !== undefined) return 'metric';
  if (source.openBreakers !== undefined) return 'breaker';
  if (source.assigned !== undefined || source.experiments?.some(lacksModel(source)) === true) return 'assigned';
  if (source.request?.campaignId !== undefined) return 'campaign';
  if (source.suppressions?.some(({ policyId }) => policyId != null)) return 'suppression';
  if (standing.old.length > 0) return standing.isOfClock ? 'clock' : 'oldPlan';
  return keys.length === 0 ? 'notShown' : null;
}
