import { diversityKind } from './diversity.ts';
import { exploreExploitKind } from './explore-exploit.ts';
import type { RankMethodKind } from './rank-method.ts';
import { roundRobinKind } from './round-robin.ts';
import { topNKind } from './top-n.ts';

/** Rank methods that are built: one file and one line each. */
const kinds: readonly RankMethodKind[] = [topNKind, diversityKind, exploreExploitKind, roundRobinKind];

export const rankMethods: ReadonlyMap<string, RankMethodKind> = new Map(kinds.map((kind) => [kind.name, kind]));
