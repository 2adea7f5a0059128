import type { JourneyDefinition } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { selectVersionsNumbered } from '../../catalogue/catalogue-history/index.ts';
import { graphOf, type JourneyGraph } from './definition.rules.ts';
import type { RunningJourney } from './journeys.store.ts';

/** Graphs of the versions that enrollments follow. */
export interface JourneyGraphs {
  read(tx: Tx, journey: RunningJourney, version: number): Promise<JourneyGraph>;
}

const maxStored = 500;

/** Keeps the graphs that were read last: a version never changes. */
export function createJourneyGraphs(): JourneyGraphs {
  const graphCache = new Map<string, JourneyGraph>();
  return {
    async read(tx, journey, version) {
      const key = `${tx.tenantId} ${journey.id} ${version}`;
      const known = graphCache.get(key);
      if (known !== undefined) return known;
      const graph = graphOf(await definitionOf(tx, journey, version));
      graphCache.set(key, graph);
      const [oldest] = graphCache.keys();
      if (graphCache.size > maxStored && oldest !== undefined) graphCache.delete(oldest);
      return graph;
    },
  };
}

/** The definition of a version: the current one, or what the history has of it. */
async function definitionOf(tx: Tx, journey: RunningJourney, version: number): Promise<JourneyDefinition> {
  if (version === journey.version) return journey.definition;
  const [past] = await selectVersionsNumbered(tx, 'journey', journey.id, [version]);
  if (past === undefined) throw new Error(`version ${version} of the journey ${journey.id} has no history`);
  // A column of the row, as the API stored it.
  return past.body.definition as JourneyDefinition;
}
