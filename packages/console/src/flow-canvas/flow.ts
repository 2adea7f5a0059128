import type { FlowNodeType } from '@arbiter/contract/catalogue/flow-node-types';

/** A flow as the console reads it: an ordered list of nodes in three phases (docs/design/console.md 3.3). It has no edges. */
export interface Flow {
  readonly nodes: readonly FlowNode[];
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface FlowNode {
  readonly id: string;
  readonly type: string;
  /** Name that people gave it; empty without one. */
  readonly name: string;
  readonly enabled: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  readonly phase: Phase;
}

/** 1 narrows the candidates, 2 scores and ranks them, 3 shapes the answer. */
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
 * Reads a flow's config, also one that does not hold together: what has no id is told by its place, and nodes of unknown
 * types stay where they stand. A call and an extension point take the phase of the place where they stand.
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

/** What a run did in a node: how many candidates came in, how many went on, and why the others left. */
export interface NodeRun {
  readonly entered: number;
  readonly passed: number;
  /** Reason to number of candidates, most first. */
  readonly dropped: readonly (readonly [reason: string, count: number])[];
  readonly topScore: number | null;
  readonly skipped: boolean;
  readonly warnings: readonly string[];
}

/** What a check found about a node. */
export interface NodeProblem {
  readonly nodeId: string | null;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** A way past the nodes between: a conditional that skips to a later node. */
export interface Skip {
  readonly from: string;
  readonly to: string;
  /** When it is taken. */
  readonly on: 'true' | 'false';
}

/** The arcs of a flow. Targets that are not there have none. */
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
