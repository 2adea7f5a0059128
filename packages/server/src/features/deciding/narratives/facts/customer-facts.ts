import type { DecisionTrace } from '@arbiter/contract';
import { type FactDraft, quoted, shownName } from '../../../operations/narration/index.ts';

/** From here on, relevance and propensity are a reason. Both are 0 to 1. */
const minForReason = 0.5;
/** Reasons that a customer reads. */
const maxReasons = 2;

/**
 * Returns what a customer may read: the first offer, and why, in plain words. No score, model, rule, policy or other offer,
 * and no attribute, sensitive or not, reaches these facts.
 */
export function customerFacts(trace: DecisionTrace): readonly FactDraft[] {
  const [first] = trace.selectedOffers;
  const name = first?.offerName ?? null;
  if (first === undefined || name === null) return emptyFacts;
  const subject = { type: 'offer', id: first.offerId, name: shownName(name) };
  const reasons: FactDraft[] = [];
  const add = (kind: FactDraft['kind'], value: string, text: string) =>
    void reasons.push({ kind, subject, value, text });
  const ownRules = trace.qualificationResults.filter(({ offerId }) => offerId === first.offerId);
  if (ownRules.some(({ status }) => status === 'passed') && ownRules.every(({ status }) => status !== 'failed')) {
    add('qualification', 'eligibility', 'You meet its conditions.');
  }
  const score = trace.scoringResults.find(({ offerId }) => offerId === first.offerId);
  if (score !== undefined && !first.mandatory) {
    const { relevance, propensity } = score.components;
    if (relevance >= minForReason) {
      add('component', 'relevance', 'It suits this channel and your interests.');
    }
    if (propensity >= minForReason && score.propensitySource !== 'default') {
      add('component', 'preference', 'We expect that you like it.');
    }
  }
  return [
    {
      kind: 'selected',
      subject,
      value: 'first',
      text: `Out of the offers that were available for you at that time, we placed ${quoted(name)} first.`,
    },
    ...reasons.slice(0, maxReasons),
    { kind: 'decision', subject: null, value: 'open', text: closing },
  ];
}

const closing = 'It is your own choice whether you take it up, and we learn from it.';

const emptyFacts: readonly FactDraft[] = [
  {
    kind: 'decision',
    subject: null,
    value: 'none',
    text: 'We looked for offers for you and found none that we could show you at that time.',
  },
  {
    kind: 'decision',
    subject: null,
    value: 'later',
    text: 'What is available to you changes from time to time, and we look again whenever you are in touch with us.',
  },
];
