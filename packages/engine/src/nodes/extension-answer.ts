import type { Candidate } from '../plan/candidate.ts';
import type { ExternalEntry } from '../plan/input.ts';
import type { AskedCandidate, Run } from '../plan/run.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import { standsBefore } from '../stages/candidates.ts';

/** Maximum offers sent to a webhook (docs/design/api-decisioning.md 8). */
const maxRequested = 200;

/**
 * A webhook's answer, by offer; `failed`: there was none, or the call failed; `unasked`: it will be asked after this
 * rehearsal.
 */
export type WebhookAnswer = ReadonlyMap<string, ExternalEntry> | 'failed' | 'unasked';

/** Returns a webhook node's answer for the candidates, best first. */
export function webhookAnswer(run: Run, { id }: FlowNode, candidates: () => readonly AskedCandidate[]): WebhookAnswer {
  const { external } = run.input;
  const answer = external !== undefined && Object.hasOwn(external, id) ? external[id] : undefined;
  if (answer === undefined) {
    if (run.ask === null) return 'failed';
    run.ask(id, candidates());
    return 'unasked';
  }
  if ('error' in answer) return 'failed';
  return new Map(answer.candidates.map((entry) => [entry.offerId, entry]));
}

/** The offers of the list, each once, in the order of scores; before there are any, by priority. */
export function askedOf(run: Run, isScored: boolean): readonly AskedCandidate[] {
  const ordered = isScored ? inOrder(run) : run.list.toSorted(byPriority);
  const best = new Map<string, Candidate>();
  for (const candidate of ordered) {
    if (best.size === maxRequested) break;
    if (!best.has(candidate.offer.id)) best.set(candidate.offer.id, candidate);
  }
  const { score } = run.scratch.columns;
  return [...best].map(([offerId, { at }], place) =>
    isScored ? { offerId, score: score[at]!, rank: place + 1 } : { offerId, score: null, rank: null },
  );
}

/** The list, best first. */
export function inOrder(run: Run): readonly Candidate[] {
  return run.list.toSorted((a, b) => (standsBefore(run, a, b) ? -1 : 1));
}

function byPriority(a: Candidate, b: Candidate): number {
  return b.priority - a.priority || a.ordinal - b.ordinal || a.slot - b.slot;
}
