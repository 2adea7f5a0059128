import type { Tx } from '../../../db/tx.ts';

/**
 * Port for records that are deleted with one that they name, in a dependent feature: locks those that name one of `ids`
 * in `column`, so that everything is locked before anything is written, and returns a function that deletes them and
 * returns their number.
 */
export type LockDependants<Column extends string> = (
  tx: Tx,
  column: Column,
  ids: readonly string[],
) => Promise<() => Promise<number>>;

/** Columns by which a flow route names what it's deleted with. */
export type RouteColumn = 'channelId' | 'placementId' | 'decisionFlowId';
