import type { SimulationDiff, SimulationFigures } from '@arbiter/contract';
import type { SnapshotFlow } from '@arbiter/engine';
import type { Asked } from './simulate.rules.ts';

/** What a simulation over a segment asks for each customer of its sample. */
export interface SegmentQuestion {
  readonly asked: Asked;
  readonly seed: string;
  readonly sampleSize: number;
  /** Epoch ms. */
  readonly now: number;
}

/** A flow as it runs in a simulation, whatever becomes of its draft meanwhile. */
export interface StoredFlow {
  readonly flow: SnapshotFlow;
  /** It runs as it is published: the plan that decisions use serves as well. */
  readonly isLive: boolean;
}

export interface SimulationResult {
  readonly reachableCustomers: number;
  readonly figures: SimulationFigures;
  readonly compare: SimulationFigures | null;
  readonly diff: SimulationDiff | null;
}
