import type { Candidate } from '../plan/candidate.ts';
import type { EndpointProgram, PlanModel } from '../plan/models.ts';
import type { EndpointQuestion, Run } from '../plan/run.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { focus } from '../stages/candidates.ts';

/** Maximum offers sent to an endpoint, as to a webhook (docs/design/api-decisioning.md 8). */
const maxRequested = 200;

/** Name of a model's answer among those of webhooks. No id of a node contains a colon. */
export const endpointName = (key: string): string => `model:${key}`;

/**
 * Returns the scores by offer that an endpoint gave for this decision; null: there was none, or the call failed. In a
 * rehearsal it will be asked about the offers that are left now.
 */
export function endpointScores(run: Run, { key }: PlanModel, endpoint: EndpointProgram): JsonObject | null {
  const name = endpointName(key);
  const { external } = run.input;
  const answer = external !== undefined && Object.hasOwn(external, name) ? external[name]! : null;
  if (answer === null) {
    run.ask?.(name, [], questionOf(run, endpoint));
    return null;
  }
  if ('error' in answer) return null;
  return Object.fromEntries(answer.candidates.map(({ offerId, score }) => [offerId, score]));
}

function questionOf(run: Run, endpoint: EndpointProgram): EndpointQuestion {
  const offers = new Map<string, Candidate>();
  const best = [...run.mandatory, ...run.list].toSorted((a, b) => b.priority - a.priority || a.ordinal - b.ordinal);
  for (const candidate of best) {
    if (offers.size === maxRequested) break;
    if (!offers.has(candidate.offer.id)) offers.set(candidate.offer.id, candidate);
  }
  return {
    attributes: endpoint.attributes(run.scope),
    candidates: [...offers.values()].map((candidate) => {
      focus(run, candidate);
      const { id, row } = candidate.offer;
      return { id, name: row.name, attributes: endpoint.offerAttributes(run.scope) };
    }),
  };
}
