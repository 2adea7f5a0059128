/**
 * Version of the engine's meaning: raised whenever the same plan and inputs may give another result. Records name the one
 * that decided, so that a difference found by replay can be told from a defect (docs/design/decisioning.md 3).
 */
export const engineVersion = '4';

/**
 * How plans are read, written into each plan. An engine that would make other bytes of a plan that is stored somewhere raises
 * this number, and goes on reading plans of the lower numbers as before, for as long as decisions are kept (docs/adr/0019).
 */
export const semantics = 1;
