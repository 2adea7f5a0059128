/**
 * Version of the engine's meaning: raised whenever the same plan and inputs may give another result. Records name the one
 * that decided, so that a difference found by replay can be told from a defect (docs/design/decisioning.md 3).
 */
export const engineVersion = '2';
