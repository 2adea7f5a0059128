import type { Run } from '../run.ts';

/** One stage of phase 1, ready to run. */
export interface Step {
  /** Node type, or one of the engine's own stages. */
  readonly type: string;
  /** Null for stages that the flow did not write down. */
  readonly nodeId: string | null;
  run(run: Run): void;
}
