import type { OfferStory } from '@arbiter/contract/explanation/offers';
import { factorNames, scoreTexts } from '../../../messages/decisions/score.ts';
import { differencesOf, type ScoreParts } from './score.ts';

/** Formats a ratio as a percentage: 0.16 is `16 %`. */
export type WritePercent = (share: number) => string;

interface Named {
  readonly name: string;
  readonly parts: ScoreParts;
}

/** Number of rivals to offer: from the best, and on each side of the offer. */
const bestRivals = 60;
const neighbours = 20;

/**
 * Returns offers to compare with, in order: the best, the neighbors and the selected one. A list of thousands would be
 * unreadable and slow. `further` counts the rest.
 */
export function rivalsOf(
  offerId: string,
  offers: readonly OfferStory[],
  chosen: string | null,
): { readonly offered: readonly OfferStory[]; readonly further: number } {
  const scored = offers.filter((each) => each.score !== null);
  const own = scored.findIndex((each) => each.offerId === offerId);
  const offered = scored.filter(
    (each, at) =>
      at !== own && (at < bestRivals || (own >= 0 && Math.abs(at - own) <= neighbours) || each.offerId === chosen),
  );
  return { offered, further: scored.length - offered.length - (own < 0 ? 0 : 1) };
}

/** Returns the default rival: the runner-up for the winner, the winner for all others. */
export function defaultRival(story: OfferStory, offers: readonly OfferStory[]): OfferStory | null {
  const scored = offers.filter((each) => each.offerId !== story.offerId && each.score !== null);
  const next = (): OfferStory | null =>
    scored.reduce<OfferStory | null>(
      (best, each) => (best === null || (each.place ?? last) < (best.place ?? last) ? each : best),
      null,
    );
  if (story.rank === 1) return next();
  return scored.find(({ rank }) => rank === 1) ?? next();
}

const last = Number.POSITIVE_INFINITY;

/** Explains the difference to a rival from the numbers: the gap between the scores, and its factors, biggest first. */
export function rivalText(own: Named, other: Named, percent: WritePercent): string {
  const differences = differencesOf(own.parts, other.parts);
  if (differences === null) return scoreTexts.otherMethods(own.name, other.name);
  const [mine, theirs] = [own.parts.score, other.parts.score];
  const ratio = theirs === 0 ? (mine === 0 ? 1 : Number.POSITIVE_INFINITY) : mine / theirs;
  const isAlike = Math.abs(ratio - 1) < 5e-4;
  const head = isAlike
    ? scoreTexts.equal(own.name, other.name)
    : ratio > 1
      ? scoreTexts.ahead(own.name, other.name, apart(ratio, percent))
      : scoreTexts.behind(own.name, other.name, apart(ratio, percent));
  const parts = differences.map(({ name, ratio: by, own: factor }) => {
    const word = factorNames[name] ?? name;
    if (factor.value === 0) return scoreTexts.none(word);
    return by > 1 ? scoreTexts.more(word, apart(by, percent)) : scoreTexts.less(word, apart(by, percent));
  });
  return parts.length === 0 ? scoreTexts.plain(head) : scoreTexts.because(head, scoreTexts.and(parts));
}

function apart(ratio: number, percent: WritePercent): string {
  return Number.isFinite(ratio) ? percent(Math.abs(ratio - 1)) : '∞';
}
