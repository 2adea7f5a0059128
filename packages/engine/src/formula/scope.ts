import type { FormulaScope } from '../plan/formula.ts';

/** Returns a scope in which every path is missing. Callers set what they have. */
export function emptyScope(): FormulaScope {
  return {
    customer: null,
    offer: null,
    creative: null,
    attributes: null,
    channel: null,
    placement: null,
    request: null,
    score: null,
    names: null,
    now: 0,
    zone: [],
    failure: null,
    steps: 0,
  };
}
