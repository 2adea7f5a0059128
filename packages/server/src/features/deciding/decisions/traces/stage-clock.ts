import type { StageObserver } from '@arbiter/engine';

/** How long the stages of one decision took: the engine has no clock, so it is watched from outside. */
export interface StageClock {
  /** For `decide`: the time since it was told last is the stage's. */
  readonly observe: StageObserver;
  /** Milliseconds with three decimals; null for a stage that was not told of. */
  msOf(stage: string, nodeId: string | null): number | null;
}

/** Takes the time of some decisions: of those that are shown stage by stage, and of a few for the metrics. */
export interface StageWatch {
  /** Starts a clock; null: the times of this decision are not wanted. `isShown`: it has a trace. */
  begin(isShown: boolean): StageClock | null;
  /** Reports what a clock saw. */
  end(clock: StageClock | null): void;
}

/** Of decisions without trace, one in so many is watched for the metrics: enough for their figures, too few to cost. */
const watchedOneIn = 32;

/** `report` gets the seconds that a stage took. */
export function createStageWatch(
  report: (stage: string, seconds: number) => void,
  now: () => number = () => performance.now(),
): StageWatch {
  const clocks = new WeakMap<StageClock, ReadonlyMap<string, Spent>>();
  let decisions = 0;
  return {
    begin(isShown) {
      decisions += 1;
      if (!isShown && decisions % watchedOneIn !== 1) return null;
      const spent = new Map<string, Spent>();
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
      // Of a called flow's stages the metrics know the type: keys of flows are the tenants' to choose.
      for (const { stage, ms } of clocks.get(clock)?.values() ?? [])
        report(stage.slice(stage.lastIndexOf('/') + 1), ms / 1000);
    },
  };
}

interface Spent {
  readonly stage: string;
  ms: number;
}

const keyOf = (stage: string, nodeId: string | null): string => `${stage} ${nodeId}`;
