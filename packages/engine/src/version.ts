/**
 * Version of the engine's meaning: raised whenever the same plan and inputs may give another result. Records name the one
 * that decided, so that a difference found by replay can be told from a defect (docs/design/decisioning.md 3).
 */
export const engineVersion = '6';

/**
 * How plans are read, written into each plan. An engine that would make other bytes of a plan that is stored somewhere raises
 * this number, and goes on reading plans of the lower numbers as before, for as long as decisions are kept (docs/adr/0019).
 *
 * 2: banners, modals and cards are HTML; a link that is one token takes its value whole (docs/adr/0024).
 * 3: a mutual exclusion that acts on some channels, creatives or categories only hears of each member that is taken, those
 * too on which it does not act.
 * 4: estimates of a bandit's chance repeat every stage that gives scores; the shares of champions and challengers of called
 * flows are told; what asks the expected propensity waits for the creative where settings differ by channel (docs/adr/0047).
 */
export const semantics = 4;
