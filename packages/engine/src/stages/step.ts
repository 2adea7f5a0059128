import { drawModels } from '../models/model-scores.ts';
import type { Run } from '../plan/run.ts';
import type { Step } from '../plan/stages.ts';

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
