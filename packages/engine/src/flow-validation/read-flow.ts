import { pointerStep } from '../compile/config-problems.ts';
import { isObject } from '../json-object.ts';
import { nodeKinds } from '../nodes/node-kinds.ts';
import type { FlowNode, Json, JsonObject } from '../plan/snapshot.ts';
import { nearestWord } from '../words/nearest-word.ts';
import { utf8Bytes } from '../words/utf8-bytes.ts';
import { didYouMean, listWords, shortenWord } from '../words/word-texts.ts';
import type { FlowIssue, FlowWarning } from './flow-issues.ts';

const maxNodes = 500;
const maxBytes = 256 * 1024;
const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

export interface ReadFlow {
  readonly nodes: readonly FlowNode[];
  readonly flowConfig: JsonObject;
}

/** Rules of class S: a config that breaks them is not a flow. Null when it cannot be checked further. */
export function readFlow(config: unknown, errors: FlowIssue[], warnings: FlowWarning[]): ReadFlow | null {
  const refuse = (path: string, nodeId: string | null, code: string, message: string): void => {
    errors.push({ path, nodeId, code, message, class: 'S' });
  };
  const source = config as Json | undefined;
  if (!isObject(source) || source.version !== 2) {
    refuse('/version', null, 'version_not_2', 'version must be 2');
    return null;
  }
  const { nodes, flowConfig } = source;
  if (!Array.isArray(nodes)) {
    refuse('/nodes', null, 'nodes_not_array', 'nodes must be a list');
    return null;
  }
  if (nodes.length > maxNodes) refuse('/nodes', null, 'too_large', `a flow can have at most ${maxNodes} nodes`);
  else if (utf8Bytes(JSON.stringify(source)) > maxBytes) refuse('', null, 'too_large', 'a flow can be at most 256 KB');
  if (nodes.length === 1) refuse('/nodes', null, 'too_few_nodes', 'a flow must have either no nodes or at least two');
  if (flowConfig !== undefined && !isObject(flowConfig)) {
    refuse('/flowConfig', null, 'node_shape', 'flowConfig must be an object');
  }
  const read = nodes.map((node: Json, at) => readNode(node, `/nodes/${at}`, refuse));
  if (errors.length > 0) return null;
  warnOfKeys(source, flowKeys, '', null, warnings);
  nodes.forEach((node: Json, at) => {
    if (isObject(node)) warnOfKeys(node, nodeKeys, `/nodes/${at}`, String(node.id), warnings);
  });
  return { nodes: read.filter((node) => node !== null), flowConfig: isObject(flowConfig) ? flowConfig : {} };
}

const flowKeys = ['version', 'nodes', 'flowConfig'];
const nodeKeys = ['id', 'type', 'config', 'name', 'enabled', 'position'];

function warnOfKeys(
  value: JsonObject,
  keys: readonly string[],
  path: string,
  nodeId: string | null,
  warnings: FlowWarning[],
): void {
  for (const key of Object.keys(value)) {
    if (keys.includes(key)) continue;
    warnings.push(unknownKey(`${path}/${pointerStep(key)}`, nodeId, nearestWord(key, keys)));
  }
}

/** Returns the warning about a key that's stored without meaning (docs/design/api-decisioning.md 7). */
export function unknownKey(path: string, nodeId: string | null, nearest: string | null): FlowWarning {
  const key = path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  const meant = nearest === null ? '' : `; did you mean ${nearest}?`;
  return { path, nodeId, code: 'unknown_key', message: `${shortenWord(key)} has no effect${meant}`, nearest };
}

function unknownType(type: string): string {
  const known = [...nodeKinds.keys()];
  return `the node type ${shortenWord(type)} does not exist; it must be one of ${listWords(known)}${didYouMean(type, known)}`;
}

type Refuse = (path: string, nodeId: string | null, code: string, message: string) => void;

function readNode(node: Json, path: string, refuse: Refuse): FlowNode | null {
  if (!isObject(node)) {
    refuse(path, null, 'node_shape', 'must be an object');
    return null;
  }
  const { id, type, config, name, enabled, position } = node;
  const nodeId = typeof id === 'string' && idPattern.test(id) ? id : null;
  const shape = (part: string, message: string): void => refuse(`${path}/${part}`, nodeId, 'node_shape', message);
  if (nodeId === null) shape('id', 'must be 1 to 64 characters from A-Z, a-z, 0-9, _ and -');
  if (typeof type !== 'string') shape('type', 'must be a node type');
  else if (!nodeKinds.has(type)) refuse(`${path}/type`, nodeId, 'unknown_node_type', unknownType(type));
  if (config !== undefined && !isObject(config)) shape('config', 'must be an object');
  if (name !== undefined && (typeof name !== 'string' || [...name].length > 100))
    shape('name', 'must be a string of at most 100 characters');
  if (enabled !== undefined && typeof enabled !== 'boolean') shape('enabled', 'must be true or false');
  if (position !== undefined && !isPosition(position)) shape('position', 'must be an object with x and y');
  if (nodeId === null || typeof type !== 'string') return null;
  return {
    id: nodeId,
    type,
    ...(isObject(config) ? { config } : {}),
    ...(typeof enabled === 'boolean' ? { enabled } : {}),
  };
}

function isPosition(value: Json): boolean {
  return isObject(value) && typeof value.x === 'number' && typeof value.y === 'number';
}
