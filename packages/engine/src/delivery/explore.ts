import { readIds, readNumber } from '../config-values.ts';
import { ids, integer, type KeyCheck, number, object, taking } from '../nodes/node-keys.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { Chances } from '../plan/forced.ts';
import { NONE } from '../plan/ordinals.ts';
import type { Explore, RankedPick, Ranking } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { stream } from '../random/stream.ts';
import { standsBefore } from '../stages/candidates.ts';
import { gatherBest } from './best-left.ts';

const shape = object({
  keys: { rate: number(0, 0.2), poolSize: integer(2, 50), fromRank: integer(1, 50), channels: ids(100, 'channel') },
});

/** Checks `flowConfig.explore`. */
export const exploreKey: KeyCheck = taking(shape.takes ?? {}, (value, path, issues) => {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) shape(value, path, issues);
  else issues.refuse(path, 'invalid_config', 'must be an object with rate, poolSize, fromRank and channels');
});

/** Null: the flow does not explore. */
export function compileExplore(config: JsonObject, channelNumbers: ReadonlyMap<string, number>): Explore | null {
  const rate = readNumber(config.rate, 0);
  if (rate <= 0) return null;
  const wanted = readIds(config.channels);
  let channels: Uint8Array | null = null;
  if (wanted.length > 0) {
    channels = new Uint8Array(channelNumbers.size);
    for (const id of wanted) {
      const at = channelNumbers.get(id);
      if (at !== undefined) channels[at] = 1;
    }
  }
  return { rate, poolSize: readNumber(config.poolSize, 20), fromRank: readNumber(config.fromRank, 1), channels };
}

export interface Exploring {
  /** Returns `picked`, or another in its place, with its probability. `place`: 1 for the first item of the answer. */
  next(place: number, picked: RankedPick, left: (candidate: Candidate) => boolean, ranking: Ranking): RankedPick;
  /** Returns the chance that `next` returns `wanted`, given the method's pick. */
  chanceOf(
    place: number,
    picked: RankedPick,
    wanted: Candidate,
    left: (candidate: Candidate) => boolean,
    ranking: Ranking,
  ): number;
  /** Returns the chances of all candidates that `next` can return, given the method's pick. */
  chances(place: number, picked: RankedPick, left: (candidate: Candidate) => boolean, ranking: Ranking): Chances;
}

/**
 * Starts one answer. At a slot, S are the candidates left for it: of its placement, not yet taken, passing the limits
 * after the items taken so far, not held back by the rank method, and on a channel that explores. The pool B is the
 * first `poolSize` of S in tie-break order. With probability `rate` the slot is drawn evenly from B, otherwise it's the
 * method's pick, so the probability of item i is `(1 - rate) * [i is the method's pick] + rate * [i in B] / size(B)`. A
 * slot stays as it is when its method's pick is on a channel that doesn't explore, or when there's no choice. If the
 * method itself picks by chance (`explore_exploit`), both count: its own probability of i replaces `[i is the
 * method's pick]`, and `rate` applies to the share of picks on channels that explore.
 */
export function beginExploring(run: Run, { rate, poolSize, fromRank, channels }: Explore): Exploring {
  const { list } = run;
  const { pool } = run.scratch;
  const isOn = ({ channel }: Candidate): boolean => channels === null || (channel !== NONE && channels[channel] === 1);
  /** Chance that the method picks on a channel that explores, so that the place is drawn from the pool at all. */
  const reach = (chanceOf: Ranking['chanceOf']): number => {
    if (channels === null || chanceOf === undefined) return 1;
    let sum = 0;
    for (const candidate of list) if (isOn(candidate)) sum += chanceOf(candidate);
    return sum;
  };
  return {
    next(place, picked, left, { waits, picksFirst, chanceOf }) {
      if (place < fromRank || !isOn(picked.candidate)) return picked;
      const isLeft = (candidate: Candidate): boolean =>
        isOn(candidate) && left(candidate) && !(waits?.(candidate) ?? false);
      // Mostly nothing is drawn; then it is enough to know how large the pool is, and whether the pick is in it.
      let size = 0;
      for (let at = 0; at < list.length && size < poolSize; at++) if (isLeft(list[at]!)) size += 1;
      if (size === 1) return picked;
      const next = stream(run.input.seed, `explore:${place}`);
      const explored = next() < rate;
      let { candidate } = picked;
      let inPool = true;
      if (explored) {
        gatherBest(run, size, pool, isLeft);
        candidate = pool[Math.floor(next() * size)]!;
      } else if (picksFirst !== true) {
        inPool = standsAmong(run, candidate, isLeft, poolSize);
      }
      const own =
        chanceOf === undefined ? (candidate === picked.candidate ? picked.pick.probability : 0) : chanceOf(candidate);
      const byMethod = (1 - rate) * own;
      const probability = inPool ? byMethod + (rate * reach(chanceOf)) / size : byMethod;
      return { candidate, pick: { ...picked.pick, probability, explored: explored || picked.pick.explored } };
    },
    chanceOf(place, picked, wanted, left, { waits, chanceOf }) {
      const certainly = picked.candidate === wanted ? picked.pick.probability : 0;
      const byMethod = chanceOf === undefined ? certainly : chanceOf(wanted);
      if (place < fromRank || (chanceOf === undefined && !isOn(picked.candidate))) return byMethod;
      const isLeft = (candidate: Candidate): boolean =>
        isOn(candidate) && left(candidate) && !(waits?.(candidate) ?? false);
      let size = 0;
      for (let at = 0; at < list.length && size < poolSize; at++) if (isLeft(list[at]!)) size += 1;
      if (size === 1) return byMethod;
      const inPool = isLeft(wanted) && standsAmong(run, wanted, isLeft, poolSize);
      const explores = chanceOf === undefined || isOn(wanted);
      return (explores ? 1 - rate : 1) * byMethod + (inPool ? (rate * reach(chanceOf)) / size : 0);
    },
    chances(place, picked, left, ranking) {
      const { waits, chanceOf } = ranking;
      const own = ownChances(picked, ranking);
      if (place < fromRank || (chanceOf === undefined && !isOn(picked.candidate))) return own;
      const isLeft = (candidate: Candidate): boolean =>
        isOn(candidate) && left(candidate) && !(waits?.(candidate) ?? false);
      const size = gatherBest(run, poolSize, pool, isLeft);
      if (size <= 1) return own;
      const share = (rate * reach(chanceOf)) / size;
      const chances = new Map<Candidate, number>();
      for (const [candidate, chance] of own) {
        chances.set(candidate, chanceOf === undefined || isOn(candidate) ? (1 - rate) * chance : chance);
      }
      for (let at = 0; at < size; at++) chances.set(pool[at]!, (chances.get(pool[at]!) ?? 0) + share);
      return chances;
    },
  };
}

/** Returns the chances of the rank method's picks for a place, without exploration. */
export function ownChances({ candidate, pick }: RankedPick, { chanceOf, choices }: Ranking): Chances {
  if (chanceOf === undefined || choices === undefined) return new Map([[candidate, pick.probability]]);
  const chances = new Map<Candidate, number>();
  for (const other of choices()) {
    const chance = chanceOf(other);
    if (chance > 0) chances.set(other, chance);
  }
  return chances;
}

/** Returns true when fewer than `most` of those left come before the candidate. */
function standsAmong(run: Run, candidate: Candidate, isLeft: (candidate: Candidate) => boolean, most: number): boolean {
  let before = 0;
  for (const other of run.list) {
    if (!standsBefore(run, other, candidate) || !isLeft(other)) continue;
    before += 1;
    if (before === most) return false;
  }
  return true;
}
