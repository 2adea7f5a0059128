import type { ReactNode } from 'react';
import type { Tone } from '../badge.tsx';
import type { Drill } from '../drill.ts';

export interface TimelineEvent {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** End of a period: a window, a pause. */
  readonly until?: number | undefined;
  /** What happened: "shown Gold Birthday Drink". */
  readonly name: string;
  readonly tone: Tone;
  /** Draws a period as a bracket: something is counted in it, but doesn't last all of it. */
  readonly bracket?: boolean;
  /** Drawn as a ring: not settled yet. */
  readonly open?: boolean;
  readonly drill: Drill;
}

export interface TimelineProps {
  readonly title: string;
  readonly summary: string;
  readonly lanes: readonly { readonly name: string; readonly events: readonly TimelineEvent[] }[];
  readonly from: number;
  readonly to: number;
  /** Marks the current time. */
  readonly now?: number;
  readonly empty?: string | undefined;
  readonly foot?: ReactNode;
}
