/** Most rows of a trace. Later rows are cut; those of the offers in the response come first. */
export const traceRows = { perOffer: 2_000, dropped: 500 };
/** Most rows of `meta`. */
export const debugRows = { scores: 200, dropped: 500 };
