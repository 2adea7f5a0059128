import type { Tx } from '../../../db/tx.ts';

/**
 * Port for records that go when one that they name is deleted and whose feature stands above it: locks those that name
 * one of `ids` in `column`, so that nothing is written before everything is locked, and answers with what deletes them
 * and says how many there were.
 */
export type LockDependants<Column extends string> = (
  tx: Tx,
  column: Column,
  ids: readonly string[],
) => Promise<() => Promise<number>>;

/** Columns by which a flow route names what it goes with. */
export type RouteColumn = 'channelId' | 'placementId' | 'decisionFlowId';
