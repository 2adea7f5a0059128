import type { Pick, RankMethod } from '../plan/ranking.ts';
import type { JsonObject } from '../plan/snapshot.ts';

/** A rank method of a plan; one file and one line of `rank-methods.ts` each. */
export interface RankMethodKind {
  readonly name: string;
  compile(config: JsonObject): RankMethod;
}

/** A pick without chance. */
export const certain: Pick = { probability: 1, estimated: false, explored: false };
