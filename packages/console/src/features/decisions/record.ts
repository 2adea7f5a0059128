import type { DecisionRecord as Schema } from '@arbiter/contract/deciding/decisions';
import type { Static } from 'typebox';

/** A sealed record of the API. */
export type DecisionRecord = Static<typeof Schema>;
