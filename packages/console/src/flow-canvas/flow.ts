import type { FlowNodeType } from '@arbiter/contract/catalogue/flow-node-types';

/** A flow as the console reads it: an ordered list of nodes in three phases (docs/design/console.md 3.3). It has no edges. */
export interface Flow {
  readonly nodes: readonly FlowNode[];
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface FlowNode {
  readonly id: string;
  readonly type: string;
  /** Its name; empty without one. */
  readonly name: string;
  readonly enabled: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  readonly phase: Phase;
}

/** 1 filters the candidates, 2 scores and ranks them, 3 shapes the response. */
export type Phase = 1 | 2 | 3;

export const phases: readonly Phase[] = [1, 2, 3];

/** Null: the phase of the node's place. */
const phaseOf: Readonly<Record<string, Phase | null>> = {
  inventory: 1,
  match_creatives: 1,
  enrich: 1,
  qualify: 1,
  contact_policy: 1,
  filter: 1,
  conditional: 1,
  score: 2,
  optimize: 2,
  rank: 2,
  group: 2,
  compute: 3,
  set_properties: 3,
  response: 3,
  call_flow: null,
  extension_point: null,
} satisfies Record<FlowNodeType, Phase | null>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads a flow's config, also an invalid one: nodes without an ID are known by their position, and nodes of unknown
 * types keep it. Calls and extension points take the phase of their position.
 */
export function readFlow(config: unknown): Flow {
  const whole = isObject(config) ? config : {};
  const list = Array.isArray(whole.nodes) ? whole.nodes : [];
  let phase: Phase = 1;
  const nodes = list.map((entry: unknown, at): FlowNode => {
    const node = isObject(entry) ? entry : {};
    const type = textOf(node.type);
    phase = phaseOf[type] ?? phase;
    return {
      id: textOf(node.id) || `node ${at + 1}`,
      type,
      name: textOf(node.name),
      enabled: node.enabled !== false,
      config: isObject(node.config) ? node.config : {},
      phase,
    };
  });
  return { nodes, settings: isObject(whole.flowConfig) ? whole.flowConfig : {} };
}

/** What a run did in a node: candidates in, candidates out, and why the others were dropped. */
export interface NodeRun {
  readonly entered: number;
  readonly passed: number;
  /** Reason to number of candidates, most first. */
  readonly dropped: readonly (readonly [reason: string, count: number])[];
  readonly topScore: number | null;
  readonly skipped: boolean;
  readonly warnings: readonly string[];
}

/** A problem of a node. */
export interface NodeProblem {
  readonly nodeId: string | null;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** A skip: a conditional that continues at a later node. */
export interface Skip {
  readonly from: string;
  readonly to: string;
  /** Its condition. */
  readonly on: 'true' | 'false';
}

/** Returns the skips of a flow, except those to missing nodes. */
export function skipsOf({ nodes }: Flow): readonly Skip[] {
  const known = new Set(nodes.map(({ id }) => id));
  return nodes.flatMap(({ id, type, config }) => {
    if (type !== 'conditional') return [];
    return (['true', 'false'] as const).flatMap((on) => {
      const branch = config[on === 'true' ? 'onTrue' : 'onFalse'];
      const to = isObject(branch) && branch.action === 'skip_to' ? textOf(branch.nodeId) : '';
      return known.has(to) ? [{ from: id, to, on }] : [];
    });
  });
}
