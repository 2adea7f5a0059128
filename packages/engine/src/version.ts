/**
 * The engine's version, written to each record. Raise it whenever the engine changes its results, so that a difference
 * found by a replay can be told from a defect (docs/design/decisioning.md 3).
 */
export const engineVersion = '1';

/**
 * How to read a plan, written to each plan. From the tag 1.0 on, raise it when the engine would compute different bytes
 * from a stored plan, and keep the old path for lower numbers as long as decisions are stored (docs/adr/0019).
 */
export const semantics = 1;
