import type { RespondAnswer, RespondBatchAnswer, RespondRequest } from '@arbiter/contract';
import { problemOf } from '../../http/problem.ts';
import { AppError } from '../../platform/app-error.ts';
import type { CallerFacts } from './decisions.service.ts';

type Result = RespondBatchAnswer['results'][number];

/**
 * Records responses one by one (docs/design/api-settled.md 77): those of one customer in the order given, others beside
 * them. What one is refused for stands in its result. A failure that is no refusal fails the call when all others are
 * done; a repeat of the call then finds them as duplicates.
 */
export async function respondMany(
  respond: (caller: CallerFacts, body: RespondRequest) => Promise<RespondAnswer>,
  caller: CallerFacts,
  requestId: string,
  responses: readonly RespondRequest[],
): Promise<RespondBatchAnswer> {
  const results: Result[] = [];
  const one = async (place: number): Promise<void> => {
    const body = responses[place]!;
    try {
      const answer = await respond({ ...caller, idempotencyKey: keyOf(caller, body, place) }, body);
      results[place] = { status: 200, body: { ...answer } };
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error;
      results[place] = { status: error.status, body: { ...problemOf(error, requestId) } };
    }
  };
  const done = await Promise.allSettled(
    inOrder(responses).map(async (places) => {
      for (const place of places) await one(place);
    }),
  );
  for (const each of done) if (each.status === 'rejected') throw each.reason;
  const count = (holds: (result: Result) => boolean): number => results.filter(holds).length;
  return {
    results,
    recorded: count(({ body }) => body.status === 'recorded'),
    duplicates: count(({ body }) => body.status === 'duplicate'),
    failed: count(({ status }) => status !== 200),
  };
}

/**
 * Places that must be done one after the other: those of one customer. A response that names its customer by the
 * recommendation only may be anybody's, so then all are.
 */
function inOrder(responses: readonly RespondRequest[]): number[][] {
  const places = responses.map((_, place) => place);
  const isNamed = ({ customerId }: RespondRequest) =>
    customerId !== undefined && customerId !== '' && customerId !== 'anonymous';
  if (!responses.every(isNamed)) return [places];
  return [...Map.groupBy(places, (place) => responses[place]!.customerId).values()];
}

/** The call's Idempotency-Key for one response: a key of its own is stronger, and the places keep the others apart. */
function keyOf({ idempotencyKey }: CallerFacts, body: RespondRequest, place: number): string | null {
  if (idempotencyKey === null || body.idempotencyKey !== undefined) return null;
  return JSON.stringify(['batch', idempotencyKey, place]);
}
