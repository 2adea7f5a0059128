import type { Tx } from '../../../db/index.ts';
import { noteRunStatus } from './pipelines.store.ts';
import { markEnded, type RunEnd, type RunRow } from './runs.store.ts';

/** The run has ended or another process has taken it, so this work is obsolete. */
export class Superseded extends Error {
  constructor() {
    super('the run has ended or another process has taken it');
  }
}

/** Ends a locked run of a locked pipeline. */
export async function endRun(
  tx: Tx,
  { id, pipelineId }: Pick<RunRow, 'id' | 'pipelineId'>,
  end: RunEnd,
): Promise<void> {
  await markEnded(tx, id, end);
  await noteRunStatus(tx, pipelineId, end.status);
}
