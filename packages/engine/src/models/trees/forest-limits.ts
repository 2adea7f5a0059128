/** What a boosted model may hold at most (docs/design/api-decisioning.md 15). */
export const maxTrees = 5_000;
export const maxFeatures = 2_000;
/** Splits on the longest way from the root to a leaf. Keeps every walk over a tree far from the end of the stack. */
export const maxDepth = 128;
/** Leaves of one tree: what SHAP works through without a pause. */
export const maxLeaves = 4_096;
/** Splits and leaves of all trees together: what a stored state and a process can carry. */
export const maxNodes = 500_000;
/** Categories that one split sends to the left. */
export const maxCategories = 4_096;
export const maxNameCharacters = 255;
