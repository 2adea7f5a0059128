import type { AssemblyTrigger } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';

/** A change of an offer or creative that features above may have to follow, in the same transaction. */
export interface CatalogueChange {
  readonly trigger: Exclude<AssemblyTrigger, 'bulk'>;
  readonly entityType: 'offer' | 'creative';
  readonly entityId: string;
  /** The offer that it is about. */
  readonly offerId: string;
}

/** Port of features that follow records: called once the change is written. */
export type TellChange = (tx: Tx, change: CatalogueChange) => void;
