import type { DroppedOffer } from '@arbiter/contract/deciding/decision-drops';
import type { PolicyResult } from '@arbiter/contract/deciding/decision-policies';
import type { RuleResult } from '@arbiter/contract/deciding/decision-rules';
import type { WhyNotGate } from '@arbiter/contract/deciding/why-not-gates';
import { gateTexts as t } from '../../../messages/decisions/gates.ts';
import { type GateStory, story, type Writers } from './gate-story.ts';
import { type EvaluatedPolicy, policyStories } from './policy-stories.ts';
import { type EvaluatedRule, eligibilityStory, ruleStories } from './rule-stories.ts';

/** What a rule or policy compared, from a trace, a drop or a why-not. */
export type GateDetail = NonNullable<(RuleResult | PolicyResult | WhyNotGate | DroppedOffer)['detail']>;

/** Type of a rule or policy that can be evaluated. */
export type GateType = EvaluatedRule | EvaluatedPolicy;

/** The part of a rule or policy that its story needs. */
export interface GateReport {
  /** Null for the offer's own eligibility. */
  readonly ruleType: GateType | null;
  readonly detail: GateDetail | null;
  readonly reason: string | null;
}

const stories = { ...ruleStories, ...policyStories };

/** Returns requirement and result of a gate; null for gates without details, such as passed ones. */
export function storyOf(gate: GateReport, write: Writers): GateStory | null {
  const found = storyOfDetail(gate, write);
  // The server omits never stored values and says so in the reason: unlike a missing value, it existed.
  const isWithheld = found?.isMissing === true && gate.reason?.endsWith(' is withheld') === true;
  return isWithheld ? { ...found, actual: t.hidden, isMissing: false } : found;
}

const isEligibility = (detail: GateDetail): detail is Extract<GateDetail, { source: 'eligibility' }> =>
  'source' in detail && detail.source === 'eligibility';

function storyOfDetail({ ruleType, detail }: GateReport, write: Writers): GateStory | null {
  if (detail === null) return null;
  if ('error' in detail) return story(t.cannotEvaluate, typeof detail.error === 'string' ? detail.error : null);
  if (isEligibility(detail)) return eligibilityStory(detail, write);
  if (ruleType === null || !Object.hasOwn(stories, ruleType)) return null;
  // The type of a row determines its detail, which TypeScript can't follow through a lookup.
  const tell = stories[ruleType] as (detail: GateDetail, write: Writers) => GateStory;
  return tell(detail, write);
}

/** Details of the drops that a rule or policy caused. */
type BlockDetail = Extract<DroppedOffer, { reason: 'qualification' | 'contact_policy' }>['detail'];

/** Derives the type of the rule or policy that dropped an offer from the fields of its detail; null if it isn't clear. */
export function blockType(detail: BlockDetail): GateType | null {
  if ('metricId' in detail) return 'metric_condition';
  if ('operator' in detail) return 'attribute_condition';
  if ('maxDays' in detail) return 'recency_check';
  if ('minScore' in detail) return 'propensity_threshold';
  if ('required' in detail) return 'segment_required';
  if ('cooldownHours' in detail) return 'cooldown';
  if ('suppressForDays' in detail) return 'outcome_based';
  if ('currentHour' in detail) return 'time_window';
  if ('channels' in detail) return 'cross_channel_cap';
  if ('targetCategory' in detail) return 'offer_category_cap';
  if ('max' in detail) return 'frequency_cap';
  return null;
}
