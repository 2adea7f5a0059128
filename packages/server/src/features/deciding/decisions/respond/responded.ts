import type { RespondAnswer } from '@arbiter/contract';
import type { ReportedExposure } from '../../assignments/index.ts';
import type { EvidenceChange } from '../../evidence/index.ts';
import type { NewInteraction, Settlement } from '../../interactions/index.ts';
import type { triggeredRows } from '../../suppressions/index.ts';
import type { Bookings } from '../../volumes/index.ts';
import type { NewResponseKey } from './responses.store.ts';

/** What one response does, to be written with the others of its batch. */
export interface Responded {
  readonly answer: RespondAnswer;
  /** The key under which the answer is stored; null: none, or it's stored already. */
  readonly key: NewResponseKey | null;
  readonly change: Omit<EvidenceChange, 'number'> | null;
  /** The offer whose stock decreases by one. */
  readonly sold: string | null;
  /** Bookings in the volumes over all customers. */
  readonly bookings: Bookings;
  /** Epoch ms at which the reservation that it confirms runs out: it must be committed before. Null: it confirms none. */
  readonly confirmedBefore: number | null;
  /** New rows of history, in the order of their ids. */
  readonly rows: readonly NewInteraction[];
  /** What becomes of the item's reservation; null: nothing. */
  readonly settlement: (Settlement & { readonly itemId: string }) | null;
  readonly exposures: readonly ReportedExposure[];
  /** Suppressions of the customer that policies derive from it. */
  readonly triggered: ReturnType<typeof triggeredRows>;
}

const noBookings: Bookings = { facts: [], settled: [] };

/** An answer to a response that changes nothing, because an earlier one did. */
export const withoutEffects = (answer: RespondAnswer, key: NewResponseKey | null = null): Responded => ({
  answer,
  key,
  change: null,
  sold: null,
  bookings: noBookings,
  confirmedBefore: null,
  rows: [],
  settlement: null,
  exposures: [],
  triggered: [],
});
