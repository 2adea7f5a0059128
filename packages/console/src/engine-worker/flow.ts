import type { FlowAnswer, FlowRequest } from './flow-message.ts';
import workerUrl from './flow-worker.ts?worker&url';
import { workerClient } from './worker-client.ts';

export type { FlowFinding, FormulaFinding } from './flow-message.ts';

/** Checks a flow, and one of its formulas, as the engine does. */
export const checkFlow = workerClient<FlowRequest, FlowAnswer>(workerUrl);
