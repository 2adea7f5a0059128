import type { StageObserver } from '@arbiter/engine';

/** Measures the stages of one decision from outside, because the engine has no clock. */
export interface StageClock {
  /** For `decide`: the time since the last call belongs to this stage. */
  readonly observe: StageObserver;
  /** Returns milliseconds with three decimals; null for a stage that wasn't reported. */
  msOf(stage: string, nodeId: string | null): number | null;
}

/** Takes the time of some decisions: of those that are shown stage by stage, and of a few for the metrics. */
export interface StageWatch {
  /** Starts a clock; null: the times of this decision are not wanted. `isShown`: it has a trace. */
  begin(isShown: boolean): StageClock | null;
  /** Reports a clock's measurements. */
  end(clock: StageClock | null): void;
}

/** One in this many decisions without trace is measured for the metrics: enough for figures, too few to cost. */
const watchedOneIn = 32;

/** Creates a stage watch. `report` gets the seconds that a stage took. */
export function createStageWatch(
  report: (stage: string, seconds: number) => void,
  now: () => number = () => performance.now(),
): StageWatch {
  const clocks = new WeakMap<StageClock, ReadonlyMap<string, StageTime>>();
  let decisions = 0;
  return {
    begin(isShown) {
      decisions += 1;
      if (!isShown && decisions % watchedOneIn !== 1) return null;
      const spent = new Map<string, StageTime>();
      let since = now();
      const clock: StageClock = {
        observe(stage, nodeId) {
          const at = now();
          const key = keyOf(stage, nodeId);
          const known = spent.get(key);
          if (known === undefined) spent.set(key, { stage, ms: at - since });
          else known.ms += at - since;
          since = at;
        },
        msOf(stage, nodeId) {
          const found = spent.get(keyOf(stage, nodeId));
          return found === undefined ? null : Math.round(found.ms * 1000) / 1000;
        },
      };
      clocks.set(clock, spent);
      return clock;
    },
    end(clock) {
      if (clock === null) return;
      // For stages of called flows, metrics use only the type, because tenants choose the flows' keys.
      for (const { stage, ms } of clocks.get(clock)?.values() ?? [])
        report(stage.slice(stage.lastIndexOf('/') + 1), ms / 1000);
    },
  };
}

interface StageTime {
  readonly stage: string;
  ms: number;
}

const keyOf = (stage: string, nodeId: string | null): string => `${stage} ${nodeId}`;
