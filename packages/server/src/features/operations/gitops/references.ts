import { type EntityType, resources } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import { asJson, isObject } from '../../../platform/json.ts';
import { pointerStep } from '../../../platform/read-yaml.ts';
import type { Members } from './json.ts';
import type { FileKind } from './kinds.ts';

/** A place that holds the id of a record. */
export interface ReferencePlace {
  readonly entityType: string;
  /** True where the API also accepts a name, so that a name in a file can stay one. */
  readonly takesNames: boolean;
  /** True where everything in a file becomes an id, including names. */
  readonly resolvesKeys?: true;
  /** The meaning of a list of the parent's name and its own, where two kinds of records are possible. */
  readonly belowParent?: string;
  /** JSON Pointer into the file. */
  readonly pointer: string;
}

/** Words by which property names mean a kind of record, besides its own `entityType` (docs/design/quality.md T1). */
const words: Readonly<Record<string, string>> = {
  subcategory: 'subCategory',
  schema: 'dataSchema',
  linkedSchema: 'dataSchema',
  baseSchema: 'dataSchema',
  flow: 'decisionFlow',
  policy: 'contactPolicy',
  rule: 'qualificationRule',
  profile: 'rankingProfile',
  strategyProfile: 'rankingProfile',
  defaultArbitrationProfile: 'rankingProfile',
  parentTemplate: 'contentItem',
  template: 'contentItem',
  join: 'schemaJoin',
  model: 'algorithmModel',
  // In configs of policies, rules and nodes.
  metric: 'behavioralMetric',
  excludeOffer: 'offer',
  triggerCategory: 'category',
  excludeJoin: 'schemaJoin',
};

const isBuilt = (entityType: string): entityType is EntityType => Object.hasOwn(resources, entityType);

function entityOf(word: string): string | null {
  const entityType = Object.hasOwn(words, word) ? words[word]! : word;
  return isBuilt(entityType) ? entityType : null;
}

/** Places with names next to IDs. */
const named: Readonly<Record<string, string>> = {
  segments: 'segment',
  requiredSegments: 'segment',
  excludedSegments: 'segment',
  excludeSegments: 'segment',
  // The flow that another one calls, and that of a journey.
  flowKey: 'decisionFlow',
  decisionFlowKey: 'decisionFlow',
};

/** What the property with this name holds, inside an object of these members; null: no ids. */
function meaningOf(name: string, members: Members): Omit<ReferencePlace, 'pointer'> | null {
  if (Object.hasOwn(named, name)) {
    const entityType = entityOf(named[name]!);
    return entityType === null ? null : { entityType, takesNames: true };
  }
  if (name === 'appliesAcross') return { entityType: 'channel', takesNames: false };
  // A category or sub-category, by id or by name.
  if (name === 'targetCategory') {
    return { entityType: 'category', belowParent: 'subCategory', takesNames: true, resolvesKeys: true };
  }
  if (name === 'scopeId' || name === 'scopeIds') {
    const { scope } = members;
    const entityType = typeof scope === 'string' ? entityOf(scope) : null;
    return entityType === null ? null : { entityType, takesNames: false };
  }
  // What a strategy of a score node covers: by id or by name.
  if (name === 'value' && typeof members.profileId !== 'undefined') {
    const { scope } = members;
    return scope === 'category' || scope === 'channel'
      ? { entityType: scope, takesNames: true, resolvesKeys: true }
      : null;
  }
  const word = /^(.+?)Ids?$/.exec(name)?.[1];
  const entityType = word === undefined ? null : entityOf(word);
  return entityType === null ? null : { entityType, takesNames: false };
}

/** The kind of record that a reference in a file means at a place. */
export const entityAt = ({ entityType, belowParent }: ReferencePlace, ref: readonly string[]): string =>
  ref.length > 1 && belowParent !== undefined ? belowParent : entityType;

/**
 * Returns the value to put in place of a reference. In a file, a reference is a text, or a list of texts below a
 * parent.
 */
export type Visit = (place: ReferencePlace, value: Json) => Json;

/**
 * Returns a copy of a body in which `visit` has replaced every reference: properties that the resource names,
 * properties recognizable by name (`channelId`, `offerIds`), and these inside the JSON properties that the resource
 * lists.
 */
export function mapReferences(kind: FileKind, body: Members, visit: Visit): Members {
  const entries = Object.entries(body).map(([name, value]): [string, Json] => {
    const pointer = `/${pointerStep(name)}`;
    const declared = kind.references.get(name);
    const meaning = declared === undefined ? meaningOf(name, body) : { entityType: declared, takesNames: false };
    if (meaning !== null && kind.properties.has(name)) return [name, visited(meaning, name, value, pointer, visit)];
    return [name, kind.idsInside.includes(name) ? inside(value, pointer, visit) : value];
  });
  return Object.fromEntries(entries);
}

function inside(value: Json, pointer: string, visit: Visit): Json {
  if (Array.isArray(value)) return value.map((item: Json, at) => inside(item, `${pointer}/${at}`, visit));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, Json] => {
    const at = `${pointer}/${pointerStep(name)}`;
    // Channels with exploration.
    if (name === 'placementWeights' && isObject(inner)) return [name, namedByPlacement(inner, at, visit)];
    const isExplored = name === 'channels' && pointer.endsWith('/explore');
    const meaning = isExplored ? { entityType: 'channel', takesNames: false } : meaningOf(name, value);
    return [name, meaning === null ? inside(inner, at, visit) : visited(meaning, name, inner, at, visit)];
  });
  return Object.fromEntries(entries);
}

/** Weights whose names are placements. In a file such a name is the reference, a list, as JSON. */
function namedByPlacement(weights: Members, pointer: string, visit: Visit): Members {
  const entries = Object.entries(weights).map(([name, weight]): [string, Json] => {
    const at = `${pointer}/${pointerStep(name)}`;
    const place = { entityType: 'placement', takesNames: false, pointer: at };
    const now = visit(place, placementNamed(name));
    return [typeof now === 'string' ? now : JSON.stringify(now), weight];
  });
  return Object.fromEntries(entries);
}

function placementNamed(name: string): Json {
  if (!name.startsWith('[')) return name;
  try {
    return asJson(JSON.parse(name));
  } catch {
    // Not a reference, then. The check of the body reports it.
    return name;
  }
}

function visited(
  meaning: Omit<ReferencePlace, 'pointer'>,
  name: string,
  value: Json,
  pointer: string,
  visit: Visit,
): Json {
  if (value === null) return value;
  const isMany = !/(?:Id|Key|Category)$/.test(name) && name !== 'value';
  if (!isMany) return visit({ ...meaning, pointer }, value);
  if (!Array.isArray(value)) return value;
  return value.map((item: Json, at) =>
    item === null ? item : visit({ ...meaning, pointer: `${pointer}/${at}` }, item),
  );
}
