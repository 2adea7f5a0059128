import type { Candidate } from './candidate.ts';
import type { VolumeCounts, VolumeKey } from './input.ts';

/**
 * A limit of a volume. Each given limit applies: it's exhausted from `max` on, and a spend cap (`isCap`) before an
 * impression would exceed it.
 */
export interface VolumeLimit {
  readonly measure: keyof VolumeCounts;
  /** Infinity: counted without a limit. */
  readonly max: number;
  /** Cost of the next impression, where the limit must not be exceeded by it; else 0. */
  readonly nextCents: number;
}

/** A volume while the plan is compiled. */
export interface CollectedVolume {
  readonly key: VolumeKey;
  readonly limits: VolumeLimit[];
}

/** How the volumes of a plan find what they count. */
export interface VolumeMatcher {
  readonly numberOf: ReadonlyMap<string, number>;
  /** By number: whether an item belongs to the volume. */
  readonly matches: readonly ((candidate: Candidate) => boolean)[];
}

/** Volumes near their limits during one decision. */
export interface OpenVolumes {
  readonly counts: ReadonlyMap<number, OpenCounts>;
}

export interface OpenCounts {
  readonly matches: (candidate: Candidate) => boolean;
  /** Items of the answer are added as they are taken. */
  counts: VolumeCounts;
}
