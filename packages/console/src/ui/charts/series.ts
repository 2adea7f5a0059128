import type { Drill } from '../drill.ts';

export interface TimePoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null: unknown; the line has a gap. */
  readonly value: number | null;
  readonly drill: Drill;
}

export interface Series {
  readonly name: string;
  readonly points: readonly TimePoint[];
}
