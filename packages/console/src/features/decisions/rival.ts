import { factorNames, scoreTexts } from '../../messages/score.ts';
import { differencesOf, type ScoreParts } from './score.ts';

/** Writes a share as a percentage: 0.16 is `16 %`. */
export type WritePercent = (share: number) => string;

interface Named {
  readonly name: string;
  readonly parts: ScoreParts;
}

/**
 * What sets an offer apart from a rival, in words that are made from the numbers alone: how far the scores are apart, and by
 * which factors, the greatest first.
 */
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
