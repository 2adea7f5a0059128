import type { EmptyTarget } from './empty-reason.ts';
import type { JsonObject, SnapshotPlacement } from './snapshot.ts';

/** Where a request wants items, in the plan's terms. */
export interface Target {
  /** What the caller must correct; the first problem. The server answers 400 with it. */
  readonly problem: TargetProblem | null;
  readonly emptyReason: EmptyTarget | null;
  /** Channels by position in `program.channels`; null: all. */
  readonly channels: Uint8Array | null;
  /** Placements that fit a request for one placement; null: none was named. Positions in `program.placements`. */
  readonly placements: readonly number[] | null;
  /** Active placements of a multi-placement request, in its order; null for all others. */
  readonly slots: readonly TargetSlot[] | null;
  /** All placements of a multi-placement request, in its order; null for all others. */
  readonly requested: readonly RequestedPlacement[] | null;
  /** True: a group node listed the placements, and the request none. */
  readonly ofGroup?: true;
  /** `channel.*` before a creative is known: the only channel that fits. */
  readonly channelView: JsonObject | null;
}

export interface RequestedPlacement {
  readonly id: string;
  readonly name: string;
  readonly channelId: string;
  /** Of its channel. */
  readonly couplingMode: 'partial' | 'atomic';
  /** Position in `slots`; -1: it or its channel is not active. */
  readonly slot: number;
}

export interface TargetSlot {
  readonly placement: SnapshotPlacement;
  /** Numbers in `program.placements` and `program.channels`. */
  readonly placementNumber: number;
  readonly channel: number;
  readonly limit: number | null;
}

export interface TargetProblem {
  readonly code: 'validation_failed' | 'reference_not_found';
  /** JSON Pointer into the request. */
  readonly path: string;
  readonly message: string;
}

/** Targets of requests that name no placement: they depend on the channel alone, so a plan finds each once. */
export interface KnownTargets {
  anywhere: KnownTarget | null;
  readonly byChannel: Map<string, KnownTarget>;
  readonly byChannelId: Map<string, KnownTarget>;
  /** By the ids, joined by commas. */
  readonly byChannelIds: Map<string, KnownTarget>;
  count: number;
}

export interface KnownTarget {
  readonly target: Target;
  /** -1: it is not remembered. */
  readonly number: number;
}
