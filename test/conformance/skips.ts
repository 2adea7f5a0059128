import type { ConformanceCase } from '../../packages/engine/src/conformance-case.ts';
import type { Standing } from './standing.ts';

/** Why a case cannot be told over HTTP. */
export const skipReasons = {
  campaign: 'a campaign, which no request can name',
  chance: 'chance decides all that it expects',
  oldPlan: 'it expects what plans of this version do not do, or evidence that adds up to nothing',
  future: 'history of later than the decision',
  learned: 'the state of a model, which is only learned',
  notShown: 'what it expects stands in no answer',
  clock: 'its clock is one that no zone shows',
  reservation: 'a reservation that another decision holds',
  segments: 'stored membership of segments by names that no segment has',
  suppression: 'a suppression that a policy wrote',
  webhook: 'an answer or a breaker of a webhook',
} as const;
export type Skip = keyof typeof skipReasons;

export function skipOf({ source }: ConformanceCase, standing: Standing, keys: readonly string[]): Skip | null {
  if (source.external !== undefined || source.openBreakers !== undefined) return 'webhook';
  if (source.zones !== undefined || (source.clock !== undefined && source.at !== undefined)) return 'clock';
  if (source.contacts?.some(({ reservedUntil }) => reservedUntil !== undefined)) return 'reservation';
  if (source.request?.campaignId !== undefined) return 'campaign';
  if (source.modelStates !== undefined) return 'learned';
  const now = source.at ?? '2026-11-20T12:00:00Z';
  const told = [...(source.contacts ?? []), ...(source.outcomes ?? [])];
  if (told.some(({ at }) => Date.parse(at) > Date.parse(now))) return 'future';
  if (source.segments !== undefined) return 'segments';
  if (source.suppressions?.some(({ policyId }) => policyId != null)) return 'suppression';
  if (standing.old.length > 0) return 'oldPlan';
  if (standing.keys.length === 0) return 'chance';
  return keys.length === 0 ? 'notShown' : null;
}
