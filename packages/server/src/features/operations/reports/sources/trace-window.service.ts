import type { Tx } from '../../../../db/tx.ts';
import { maxTracesRead, type TraceWindow } from '../../../deciding/decisions/index.ts';
import { readSettings } from '../../../identity/settings/index.ts';
import type { SourceQuery } from './source.ts';

/** The traces that a source uses. */
export const traceWindow = ({ params, frame }: SourceQuery): TraceWindow => ({
  from: frame.from,
  to: new Date(frame.now.getTime() + 1),
  flowKey: params.decisionFlowKey ?? null,
  channelId: params.channelId?.toLowerCase() ?? null,
  segmentId: params.segmentId?.toLowerCase() ?? null,
});

/** Notes on figures computed from this many traces. */
export async function traceNotes(tx: Tx, read: number): Promise<string[]> {
  const { decisionTraceEnabled, decisionTraceSampleRate } = await readSettings(tx);
  const notes: string[] = [];
  if (!decisionTraceEnabled) notes.push('Decision traces are off, so figures based on them are missing.');
  else if (decisionTraceSampleRate < 1) {
    notes.push(`Sampled: ${Math.round(decisionTraceSampleRate * 1e4) / 100} % of decisions have a trace.`);
  }
  if (read >= maxTracesRead) notes.push(`Based on the newest ${maxTracesRead} traces.`);
  return notes;
}
