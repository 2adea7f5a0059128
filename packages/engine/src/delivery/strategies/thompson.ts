import { pow } from '../../arithmetic/pow.ts';
import type { Candidate } from '../../plan/candidate.ts';
import type { Run } from '../../plan/run.ts';
import type { ScoreSettings } from '../../plan/scoring.ts';
import { type BetaSampler, betaSampler } from '../../random/beta.ts';
import { stream } from '../../random/stream.ts';
import { evidenceOf, propensityOf } from '../../scoring/propensity.ts';
import { scoredBy, settingsFor } from '../../scoring/scoring.ts';
import type { ExploreExploit, ExploreStrategy } from './strategy.ts';
import { winChances } from './win-chances.ts';

const maxBetaDraws = 20_000;
const minDraws = 20;
const minPropensity = 1e-6;

/**
 * Draws each offer's possible propensity from its own outcomes and takes the one that then scores best: the candidate
 * with the largest `score * (theta / max(P, 1e-6))^wp`, theta of Beta(1 + positives, 1 + negatives). A choice's
 * probability has no closed form, so it's estimated by repeating this `draws` times.
 */
export const thompson: ExploreStrategy = {
  name: 'thompson',
  readsEvidence: () => true,
  begin(run, settings, { next, nodeId }) {
    const { poolNumbers: hits, betas } = run.scratch;
    const draws = drawsFor(run, settings);
    const sample = betaSampler(next);
    let sizeOfPool = 0;

    function best(size: number, beta: BetaSampler): number {
      let chosen = 0;
      let most = Number.NEGATIVE_INFINITY;
      for (let at = 0; at < size; at++) {
        const theta = beta(betas.a[at]!, betas.b[at]!);
        const exponent = betas.exponent[at]!;
        const ratio = theta / betas.propensity[at]!;
        const factor = exponent === 1 ? ratio : exponent === 0 ? 1 : pow(ratio, exponent);
        const value = betas.score[at]! * factor;
        // Among equals, the first in the pool wins.
        if (value <= most) continue;
        most = value;
        chosen = at;
      }
      return chosen;
    }

    return {
      draws,
      choose(pool, size, place) {
        sizeOfPool = size;
        for (let at = 0; at < size; at++) prepare(run, pool[at]!, at);
        if (run.forced !== null) {
          // The walk follows another answer: the draw doesn't matter, and the chances are integrated.
          winChances(betas, size, hits);
          return 0;
        }
        const chosen = best(size, sample);
        const again = betaSampler(stream(run.input.seed, `estimate:${nodeId}:${place}`));
        hits.fill(0, 0, size);
        for (let draw = 0; draw < draws; draw++) {
          const hit = best(size, again);
          hits[hit] = hits[hit]! + 1;
        }
        return chosen;
      },
      chance: (position) => (run.forced === null ? (hits[position]! + 1) / (draws + sizeOfPool) : hits[position]!),
    };
  },
};

function prepare(run: Run, candidate: Candidate, at: number): void {
  const { betas, columns } = run.scratch;
  const [positives, negatives] = evidenceOf(run, candidate);
  betas.a[at] = 1 + positives;
  betas.b[at] = 1 + negatives;
  betas.score[at] = columns.score[candidate.at]!;
  betas.exponent[at] = propensityExponent(settingsFor(scoredBy(run, candidate), candidate));
  betas.propensity[at] = Math.max(propensityOf(run, candidate), minPropensity);
}

/** The exponent of P in the score; 0 where the score doesn't depend on it. */
function propensityExponent({ method, exponents }: ScoreSettings): number {
  if (method.name === 'formula') return exponents.propensity;
  return method.name === 'propensity' ? 1 : 0;
}

/**
 * Repetitions of each place: `draws`, but as few as keep all places of the answer together within 20,000 numbers, and not
 * fewer than 20. Places of which only one candidate would be left need none.
 */
function drawsFor(run: Run, { draws, poolSize, fromRank }: ExploreExploit): number {
  let left = 0;
  for (const { reason } of run.list) if (reason === null) left += 1;
  let numbers = 0;
  for (let place = fromRank; place <= run.maxItems; place++) {
    const size = Math.min(poolSize, left - (place - fromRank));
    if (size < 2) break;
    numbers += size;
  }
  return numbers === 0 ? draws : Math.min(draws, Math.max(minDraws, Math.floor(maxBetaDraws / numbers)));
}
