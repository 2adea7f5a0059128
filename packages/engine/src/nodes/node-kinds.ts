import { compute } from './compute.ts';
import { contactPolicy } from './contact-policy.ts';
import { enrich } from './enrich.ts';
import { filter } from './filter.ts';
import { inventory } from './inventory.ts';
import { matchCreatives } from './match-creatives.ts';
import type { NodeKind } from './node-kind.ts';
import { qualify } from './qualify.ts';
import { rank } from './rank.ts';
import { response } from './response.ts';
import { score } from './score.ts';
import { setProperties } from './set-properties.ts';

/** Node types that can run: one file and one line each. */
const kinds: readonly NodeKind[] = [
  inventory,
  matchCreatives,
  enrich,
  qualify,
  contactPolicy,
  filter,
  score,
  rank,
  compute,
  setProperties,
  response,
];

export const nodeKinds: ReadonlyMap<string, NodeKind> = new Map(kinds.map((kind) => [kind.type, kind]));
