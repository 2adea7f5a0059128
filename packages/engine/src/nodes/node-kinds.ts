import { callFlow } from './call-flow.ts';
import { compute } from './compute.ts';
import { conditional } from './conditional.ts';
import { contactPolicy } from './contact-policy.ts';
import { enrich } from './enrich.ts';
import { extensionPoint } from './extension-point.ts';
import { filter } from './filter.ts';
import { group } from './group.ts';
import { inventory } from './inventory.ts';
import { matchCreatives } from './match-creatives.ts';
import type { NodeKind } from './node-kind.ts';
import { optimize } from './optimize.ts';
import { qualify } from './qualify.ts';
import { rank } from './rank.ts';
import { response } from './response.ts';
import { score } from './score.ts';
import { setProperties } from './set-properties.ts';

/** The node types: one file and one line each. */
const kinds = {
  inventory,
  match_creatives: matchCreatives,
  enrich,
  qualify,
  contact_policy: contactPolicy,
  filter,
  conditional,
  score,
  optimize,
  rank,
  group,
  compute,
  set_properties: setProperties,
  response,
  call_flow: callFlow,
  extension_point: extensionPoint,
} satisfies Readonly<Record<string, NodeKind>>;

export type NodeType = keyof typeof kinds;

export const nodeKinds: ReadonlyMap<string, NodeKind> = new Map(Object.entries(kinds));
