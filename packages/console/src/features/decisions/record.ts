import type { DecisionRecord as Schema } from '@arbiter/contract/decisions';
import type { Static } from 'typebox';

/** A sealed record as it is answered. */
export type DecisionRecord = Static<typeof Schema>;
