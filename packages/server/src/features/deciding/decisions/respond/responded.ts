import type { RespondAnswer } from '@arbiter/contract';
import type { StreamEvent } from '../../../../jobs/index.ts';
import type { EvidenceChange } from '../../evidence/index.ts';
import type { Bookings } from '../../volumes/index.ts';

/** One response's effects, for what follows the whole batch: evidence, outbox, answer. */
export interface Responded {
  readonly answer: RespondAnswer;
  readonly change: Omit<EvidenceChange, 'number'> | null;
  readonly events: readonly StreamEvent[];
  /** The offer whose stock decreases by one. */
  readonly sold: string | null;
  /** Bookings in the volumes over all customers. */
  readonly bookings: Bookings;
  /** Epoch ms at which the reservation that it confirms runs out: it must be committed before. Null: it confirms none. */
  readonly confirmedBefore: number | null;
  /** History rows that were written. */
  readonly itemIds: readonly string[];
}

const noBookings: Bookings = { facts: [], settled: [] };

/** An answer to a response that changes nothing, because an earlier one did. */
export const withoutEffects = (answer: RespondAnswer): Responded => ({
  answer,
  change: null,
  sold: null,
  bookings: noBookings,
  confirmedBefore: null,
  events: [],
  itemIds: [],
});
