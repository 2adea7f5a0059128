interface Node {
  readonly id: string;
  readonly type: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNode = (value: unknown): value is Node =>
  isObject(value) && typeof value.id === 'string' && typeof value.type === 'string';

/** Returns an unused id for a new node. */
function freeId(nodes: readonly Node[]): string {
  const ids = new Set(nodes.map(({ id }) => id));
  for (let at = 1; ; at += 1) if (!ids.has(`optimize-${at}`)) return `optimize-${at}`;
}

/** Returns the config of a flow that returns up to this many offers. */
export function withTop(config: unknown, top: number): Readonly<Record<string, unknown>> | null {
  if (!isObject(config) || !Array.isArray(config.nodes)) return null;
  return {
    ...config,
    nodes: config.nodes.filter(isNode).map((node) => {
      const { topN } = node.config ?? {};
      const isShort = node.type === 'rank' && typeof topN === 'number' && topN < top;
      return isShort ? { ...node, config: { ...node.config, topN: top } } : node;
    }),
  };
}

/**
 * Returns the config of a flow that ranks by these weights: its optimize node gets them, or a new one after the score
 * node. Null for a config that scores nothing.
 */
export function weightedConfig(
  config: unknown,
  weights: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | null {
  if (!isObject(config) || !Array.isArray(config.nodes)) return null;
  const nodes = config.nodes.filter(isNode);
  const own = { weights, combine: 'replace' };
  if (nodes.some(({ type }) => type === 'optimize')) {
    return { ...config, nodes: nodes.map((node) => (node.type === 'optimize' ? { ...node, config: own } : node)) };
  }
  const at = nodes.findIndex(({ type }) => type === 'score');
  if (at < 0) return null;
  const added = { id: freeId(nodes), type: 'optimize', config: own };
  return { ...config, nodes: [...nodes.slice(0, at + 1), added, ...nodes.slice(at + 1)] };
}
