/** A flow's config while it's edited. Keys that the console doesn't know stay as they are. */
export interface FlowConfig {
  readonly version: 2;
  readonly nodes: readonly ConfigNode[];
  readonly flowConfig: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** A node as the config stores it. */
export interface ConfigNode {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly enabled?: boolean;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNode = (value: unknown): value is ConfigNode =>
  isObject(value) && typeof value.id === 'string' && typeof value.type === 'string';

/** Reads a stored config for editing. Skips entries that aren't nodes; the API stores none. */
export function editableConfig(config: unknown): FlowConfig {
  const whole = isObject(config) ? config : {};
  return {
    ...whole,
    version: 2,
    nodes: Array.isArray(whole.nodes) ? whole.nodes.filter(isNode) : [],
    flowConfig: isObject(whole.flowConfig) ? whole.flowConfig : {},
  };
}

/** Returns an ID that no node of the config has: `filter`, `filter-2`. */
export function freeId(nodes: readonly ConfigNode[], wanted: string): string {
  const taken = new Set(nodes.map(({ id }) => id));
  const base = wanted.replace(/-\d+$/, '').slice(0, 58);
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number += 1) if (!taken.has(`${base}-${number}`)) return `${base}-${number}`;
}
