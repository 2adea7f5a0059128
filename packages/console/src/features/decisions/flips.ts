import type { WhyNotAnswer } from '@arbiter/contract/deciding/why-not';
import type { SimulateSearch } from './simulate/question.ts';
import { writeNamedValue } from './simulate/values.ts';

export type Flip = WhyNotAnswer['flips'][number];

/** Where a flip was found: in a recorded decision, or in a new one. */
export interface FlipQuestion {
  readonly customerId: string;
  readonly offerId: string;
  /** Null for a new decision. */
  readonly decisionId: string | null;
  /** The request, for a new decision. */
  readonly channel: string | null;
  readonly placement: string | null;
  readonly flowKey: string | null;
  readonly limit: number | null;
}

/**
 * Returns the simulation of a flip with exactly its edits, on its record. Null for flips that Simulate can't reproduce:
 * another priority or score, verified by the search itself.
 */
export function tryFlip(flip: Pick<Flip, 'kind' | 'changes' | 'at'>, question: FlipQuestion): SimulateSearch | null {
  const place = placeOf(question);
  if (flip.kind === 'time') return flip.at === null ? null : { ...place, now: flip.at };
  if (flip.kind !== 'attribute') return null;
  const under = (namespace: string) =>
    flip.changes
      .filter(({ path }) => path.startsWith(`${namespace}.`))
      .map(({ path, to }) => writeNamedValue({ name: path.slice(namespace.length + 1), value: to }));
  const profile = under('customer');
  const attributes = under('attributes');
  const segments = flip.changes.filter(({ path }) => path === 'segments').map(({ to }) => String(to));
  return {
    ...place,
    ...(profile.length === 0 ? {} : { profile }),
    ...(attributes.length === 0 ? {} : { attributes }),
    ...(segments.length === 0 ? {} : { segments }),
  };
}

function placeOf({
  customerId,
  offerId,
  decisionId,
  channel,
  placement,
  flowKey,
  limit,
}: FlipQuestion): SimulateSearch {
  const subject = { customer: customerId, offer: offerId };
  // The record has the rest.
  if (decisionId !== null) return { ...subject, decision: decisionId };
  return {
    ...subject,
    ...(channel === null ? {} : { channel }),
    ...(placement === null ? {} : { placement }),
    ...(flowKey === null ? {} : { flow: flowKey }),
    ...(limit === null ? {} : { limit }),
  };
}

/** Returns the gate that rules out any suggestion, if there is one. */
export function finalGate(answer: Pick<WhyNotAnswer, 'gates'>): WhyNotAnswer['gates'][number] | null {
  const isFinal = ({ detail }: WhyNotAnswer['gates'][number]): boolean =>
    typeof detail === 'object' && detail !== null && Reflect.get(detail, 'final') === true;
  return answer.gates.find(isFinal) ?? null;
}
