import { type ConfigProblem, pointerStep } from '../compile/config-problems.ts';
import { isObject } from '../json-object.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { shortenWord } from '../words/word-texts.ts';

/** A bandit's state of each offer, by offer id. */
export type Arms = { readonly [offerId: string]: Json };

const maxArms = 10_000;
/** No count of outcomes comes near it, and sums of it stay finite. */
export const maxOutcomes = 1e12;

/** The arms of a state; none when there are none. */
export function armsOf(state: JsonObject | null): Arms {
  const arms = state?.arms;
  return isObject(arms) ? arms : {};
}

/** Returns a number of an arm; `missing` when the state has no such arm, NaN when it isn't a number. */
export function armNumber(arms: Arms, offerId: string, name: string, missing: number): number {
  if (!Object.hasOwn(arms, offerId)) return missing;
  const arm = arms[offerId];
  const value = isObject(arm) && Object.hasOwn(arm, name) ? arm[name] : undefined;
  return typeof value === 'number' ? value : Number.NaN;
}

/**
 * Returns the problems of a state of arms: each must be an object of exactly these numbers, next to exactly `others`.
 */
export function stateProblems(
  state: Json,
  others: { readonly [key: string]: readonly [least: number, most: number] },
  checkArm: (arm: JsonObject, path: string, refuse: (path: string, message: string) => void) => void,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse = (path: string, message: string): void => void problems.push({ path, message });
  if (!isObject(state)) return [{ path: '', message: 'must be an object' }];
  for (const key of Object.keys(state)) {
    if (key !== 'arms' && !Object.hasOwn(others, key)) refuse(`/${pointerStep(key)}`, 'is not a property of the state');
  }
  for (const [key, [least, most]] of Object.entries(others)) checkNumber(state, key, '', least, most, refuse);
  if (!isObject(state.arms)) {
    refuse('/arms', 'must be an object keyed by offer ID');
    return problems;
  }
  const arms = Object.entries(state.arms);
  if (arms.length > maxArms) refuse('/arms', `must have at most ${maxArms} offers`);
  for (const [offerId, arm] of arms.slice(0, maxArms)) {
    const path = `/arms/${pointerStep(offerId)}`;
    if (!idPattern.test(offerId)) refuse(path, `${shortenWord(offerId)} must be an offer ID in lower case`);
    else if (isObject(arm)) checkArm(arm, path, refuse);
    else refuse(path, 'must be an object');
  }
  return problems;
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function checkNumber(
  value: JsonObject,
  key: string,
  path: string,
  least: number,
  most: number,
  refuse: (path: string, message: string) => void,
): void {
  const number = Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof number === 'number' && Number.isFinite(number) && number >= least && number <= most) return;
  refuse(`${path}/${key}`, `must be a number from ${least} to ${most}`);
}

/** Rejects any other member of an arm. */
export function checkNames(
  arm: JsonObject,
  names: readonly string[],
  path: string,
  refuse: (path: string, message: string) => void,
): void {
  for (const key of Object.keys(arm)) {
    if (!names.includes(key)) refuse(`${path}/${pointerStep(key)}`, 'is not a property of an arm');
  }
}
