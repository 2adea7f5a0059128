import type { NodeCounts, SimulationDiff, SimulationFigures } from '@arbiter/contract';
import type { SnapshotFlow } from '@arbiter/engine';
import type { CatalogueOverlay } from '../plans/index.ts';
import type { SharedBody } from './simulate.rules.ts';

/** What a simulation over a segment asks for each customer in its sample. */
export interface SegmentQuestion {
  readonly asked: SharedBody;
  readonly seed: string;
  readonly sampleSize: number;
  /** Epoch ms. */
  readonly now: number;
  /** Absent: false. */
  readonly nodeCounts?: boolean;
}

/** A flow as it runs in a simulation, even if its draft changes in the meantime. */
export interface StoredFlow {
  readonly flow: SnapshotFlow;
  /** True if it runs as published, so that the plan of decisions can be used. */
  readonly isLive: boolean;
  /** Changes to the catalogue that it runs with. */
  readonly overlay?: CatalogueOverlay;
  /** Hash of its plan in hex, if the plan was stored for this simulation. */
  readonly plan?: string;
}

export interface SimulationResult {
  readonly reachableCustomers: number;
  readonly figures: SimulationFigures;
  readonly compare: SimulationFigures | null;
  readonly diff: SimulationDiff | null;
  /** Absent: not counted. */
  readonly nodes?: readonly NodeCounts[];
}
