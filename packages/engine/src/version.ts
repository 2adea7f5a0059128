/**
 * The engine's version, written into each record. Raise it whenever the engine learns something new, so that a difference
 * found by a replay can be told from a defect (docs/design/decisioning.md 3).
 */
export const engineVersion = '1';

/**
 * How a plan is read, written into each plan. From the tag 1.0 on, raise it when the engine would make different bytes of a
 * stored plan, and keep the old path for plans of lower numbers for as long as decisions are kept (docs/adr/0019).
 */
export const semantics = 1;
