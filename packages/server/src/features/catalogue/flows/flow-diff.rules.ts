import { diffResults, type Json } from '@arbiter/engine';
import { asJson, isObject } from '../../../platform/json.ts';
import type { StoredConfig } from './flows.store.ts';

/** One differing value; null means "missing". */
export interface ValueChange {
  path: string;
  before: Json;
  after: Json;
}

/** Returns the differences between two flow configs, by node id (docs/design/api-settled.md 51). */
export interface VersionDiff {
  added: string[];
  removed: string[];
  changed: { nodeId: string; changes: ValueChange[] }[];
  moved: string[];
  flowConfig: ValueChange[];
}

type Nodes = ReadonlyMap<string, Json>;

export function diffVersions(from: StoredConfig, to: StoredConfig): VersionDiff {
  const [before, after] = [nodesOf(from), nodesOf(to)];
  const common = [...after.keys()].filter((id) => before.has(id));
  return {
    added: [...after.keys()].filter((id) => !before.has(id)),
    removed: [...before.keys()].filter((id) => !after.has(id)),
    changed: common.flatMap((nodeId) => {
      const changes = diff(before.get(nodeId) ?? null, after.get(nodeId) ?? null);
      return changes.length === 0 ? [] : [{ nodeId, changes }];
    }),
    moved: movedAmong(
      [...before.keys()].filter((id) => after.has(id)),
      common,
    ),
    flowConfig: diff(asJson(from.flowConfig ?? {}), asJson(to.flowConfig ?? {})),
  };
}

/** Returns nodes by id, in order. Fills in defaults, so that both spellings are equal. */
function nodesOf({ nodes }: StoredConfig): Nodes {
  const list: readonly Json[] = Array.isArray(nodes) ? nodes : [];
  return new Map(
    list
      .filter((node) => isObject(node))
      .map(({ id, config = {}, enabled = true, ...rest }) => [String(id), { ...rest, config, enabled }]),
  );
}

function diff(before: Json, after: Json): ValueChange[] {
  return diffResults(before, after).map(({ path, recorded, replayed }) => ({
    path,
    before: recorded,
    after: replayed,
  }));
}

/**
 * Returns the fewest ids to move to turn one order into the other: those outside a longest run that keeps its order.
 */
function movedAmong(before: readonly string[], after: readonly string[]): string[] {
  const place = new Map(before.map((id, at) => [id, at]));
  const places = after.map((id) => place.get(id) ?? -1);
  // By run length: the end of the run that ends lowest, and what comes before each end.
  const ends: number[] = [];
  const previous: (number | null)[] = [];
  for (const [at, value] of places.entries()) {
    let length = 0;
    while (length < ends.length && places[ends[length]!]! < value) length += 1;
    previous.push(length === 0 ? null : ends[length - 1]!);
    ends[length] = at;
  }
  const staying = new Set<number>();
  for (let at = ends.at(-1) ?? null; at !== null; at = previous[at] ?? null) staying.add(at);
  return after.filter((_id, at) => !staying.has(at));
}
