import { drawModels } from '../models/model-scores.ts';
import type { Run } from '../run.ts';

/** One stage of phase 1, ready to run. */
export interface Step {
  /** Node type, or one of the engine's own stages. */
  readonly type: string;
  /** Null for stages that the flow did not write down. */
  readonly nodeId: string | null;
  run(run: Run): void;
  /** Put before its type in traces: `call_flow:<key>/` in a called flow; absent elsewhere. */
  readonly prefix?: string;
}

/** Runs stages in order and notifies the observer. */
export function runSteps(run: Run, steps: readonly Step[]): void {
  const { observe } = run;
  const examination = run.probe?.examination ?? null;
  for (const step of steps) {
    const prefix = step.prefix ?? '';
    run.prefix = prefix;
    examination?.enter(prefix + step.type, step.nodeId);
    step.run(run);
    if (run.program.drawsEarly && step.type === 'inventory' && prefix === '') drawModels(run);
    if (observe !== null) observe(prefix + step.type, step.nodeId);
  }
}
