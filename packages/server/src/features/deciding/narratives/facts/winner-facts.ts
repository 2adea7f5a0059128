import type { DecisionTrace, ScoredOffer, SelectedOffer } from '@arbiter/contract';
import { type FactDraft, quoted, shownName } from '../../../operations/narration/index.ts';
import { counted, figure } from './say.ts';

/** Returns the offers of the response, and why the first one won: its score, its components with their sources, and chance. */
export function winnerFacts(trace: DecisionTrace, maxNamed: number): readonly FactDraft[] {
  const [first, ...others] = trace.selectedOffers;
  if (first === undefined) return [];
  const score = trace.scoringResults.find(({ offerId }) => offerId === first.offerId) ?? null;
  const facts = [selectedFact(first, score)];
  if (score !== null && !first.mandatory) facts.push(...componentFacts(first, score));
  if (!first.mandatory) facts.push(chanceFact(first));
  const named = others.slice(0, maxNamed - 1);
  facts.push(
    ...named.map((offer) =>
      selectedFact(offer, trace.scoringResults.find((row) => row.offerId === offer.offerId) ?? null),
    ),
  );
  const more = others.length - named.length;
  if (more > 0) {
    const text = `${figure(more)} more ${more === 1 ? 'offer follows' : 'offers follow'}.`;
    facts.push({ kind: 'selected', subject: null, value: { more }, text });
  }
  return facts;
}

const subjectOf = ({ offerId, offerName }: SelectedOffer) => ({
  type: 'offer',
  id: offerId,
  name: offerName === null ? null : shownName(offerName),
});

const nameOf = ({ offerId, offerName }: SelectedOffer): string =>
  offerName === null ? `the offer ${offerId}` : quoted(offerName);

/** A sentence begins with a capital letter. */
const starting = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function selectedFact(offer: SelectedOffer, score: ScoredOffer | null): FactDraft {
  const { rank, mandatory, selection } = offer;
  const place = `${starting(nameOf(offer))} took rank ${figure(rank)}`;
  const how = mandatory ? ' as a mandatory offer' : score === null ? '' : ` with a score of ${figure(offer.score)}`;
  return {
    kind: 'selected',
    subject: subjectOf(offer),
    value: { rank, mandatory, score: offer.score, selection },
    text: `${place}${how}.`,
  };
}

function chanceFact(offer: SelectedOffer): FactDraft {
  const { probability, estimated, explored, method } = offer.selection;
  const name = nameOf(offer);
  const about = estimated ? 'an estimated probability' : 'a probability';
  const drawn = `The method ${quoted(method)} selected ${name} with ${about} of ${figure(probability)}`;
  const certain = `The method ${quoted(method)} selected ${name} with certainty`;
  const ranked = probability >= 1 && !explored ? certain : drawn;
  return {
    kind: 'selected',
    subject: subjectOf(offer),
    value: { probability, estimated, explored, method },
    text: explored ? `${drawn}, to explore offers other than the best one.` : `${ranked}.`,
  };
}

function componentFacts(offer: SelectedOffer, score: ScoredOffer): readonly FactDraft[] {
  const { components, exponents, priority, method, creativeWeight } = score;
  const { relevance, impact, emphasis, fitMultiplier } = components;
  const fact = (component: string, value: number, text: string): FactDraft => ({
    kind: 'component',
    subject: subjectOf(offer),
    value: { component, value, exponent: exponents?.[component as keyof typeof exponents] ?? null },
    text,
  });
  const weight = `Its priority is ${figure(priority)}, and its creative has the weight ${figure(creativeWeight)}.`;
  const facts = [fact('method', score.score, `Its score comes from the method ${quoted(method)}.`)];
  // Each method uses some of the components; one with exponent 0 isn't used.
  const uses = (component: keyof NonNullable<typeof exponents>) => method === 'formula' && exponents?.[component] !== 0;
  if (method === 'priority_weighted') facts.push(fact('priority', priority, weight));
  if (method === 'propensity' || uses('propensity')) facts.push(propensityFact(offer, score));
  if (uses('relevance')) {
    const fits = 'measures how well it fits the channel, recent contacts and interests';
    facts.push(fact('relevance', relevance, `Its relevance of ${figure(relevance)} ${fits}.`));
  }
  if (uses('impact')) facts.push(fact('impact', impact, `Its impact of ${figure(impact)} is its business value.`));
  if (uses('emphasis')) {
    const from = `comes from its priority of ${figure(priority)}`;
    facts.push(fact('emphasis', emphasis, `Its emphasis of ${figure(emphasis)} ${from}.`));
  }
  if (fitMultiplier !== 1) {
    facts.push(
      fact('fitMultiplier', fitMultiplier, `Match rules that failed multiplied its score by ${figure(fitMultiplier)}.`),
    );
  }
  return facts;
}

function propensityFact(
  offer: SelectedOffer,
  { components, evidence, modelKey, modelType, propensitySource }: ScoredOffer,
): FactDraft {
  const { positives, negatives } = evidence;
  const propensity = `Its propensity of ${figure(components.propensity)}`;
  const outcomes = `${counted(positives, 'positive outcome')} and ${figure(negatives)} negative`;
  const texts: Readonly<Record<string, string>> = {
    request: `${propensity} came with the request.`,
    model: `${propensity} comes from the model ${quoted(modelKey ?? '')} of the type ${quoted(modelType ?? '')}.`,
    offer: `${propensity} comes from its own ${outcomes}.`,
    offer_blend: `${propensity} blends its own ${outcomes} with broader evidence.`,
    category: `${propensity} comes from the outcomes of its category.`,
    global: `${propensity} comes from the outcomes of all offers.`,
    default: `${propensity} is the default for offers without outcomes.`,
  };
  return {
    kind: propensitySource === 'model' ? 'model' : 'component',
    subject: subjectOf(offer),
    value: {
      component: 'propensity',
      value: components.propensity,
      source: propensitySource,
      evidence,
      modelKey,
      modelType,
    },
    text: texts[propensitySource] ?? `${propensity} comes from the source ${quoted(propensitySource)}.`,
  };
}
