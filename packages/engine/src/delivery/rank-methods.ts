import { diversityKind } from './diversity.ts';
import type { RankMethodKind } from './rank-method.ts';
import { roundRobinKind } from './round-robin.ts';
import { topNKind } from './top-n.ts';

/** Rank methods that are built: one file and one line each. */
const kinds: readonly RankMethodKind[] = [topNKind, diversityKind, roundRobinKind];

export const rankMethods: ReadonlyMap<string, RankMethodKind> = new Map(kinds.map((kind) => [kind.name, kind]));

/** Methods of docs/design/api-decisioning.md 8 that are refused until they are built. */
export const unbuiltRankMethods: readonly string[] = ['explore_exploit'];
