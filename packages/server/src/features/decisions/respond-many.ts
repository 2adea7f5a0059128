import type { RespondAnswer, RespondBatchAnswer, RespondRequest } from '@arbiter/contract';
import { problemOf } from '../../http/problem.ts';
import { AppError } from '../../platform/app-error.ts';
import type { CallerFacts } from './decisions.service.ts';

type Result = RespondBatchAnswer['results'][number];

/** What a call of many responses needs. */
export interface RespondManyPorts {
  /** A response that is well formed; else it throws AppError `validation_failed`. */
  readonly read: (response: unknown) => RespondRequest;
  /** Gives the caller's Idempotency-Key to this call. Throws AppError `idempotency_key_reused` when another call has it. */
  readonly claimCall: (caller: CallerFacts, responses: readonly unknown[]) => Promise<void>;
  readonly respond: (caller: CallerFacts, body: RespondRequest) => Promise<RespondAnswer>;
}

/**
 * Customers of one call whose responses are under way at once: two batches. More would wait for their turn, be refused because
 * it does not come in time, and make the responses of everybody else wait as well.
 */
const mostAtOnce = 48;

/** A response of the call, at its place. */
interface Placed {
  readonly place: number;
  readonly body: RespondRequest;
}

/**
 * Records responses one by one (docs/design/api-settled.md 77): those of one customer in the order given, others beside
 * them. What one is refused for stands in its result. A failure that is no refusal fails the call when all others are
 * done; a repeat of the call then finds them as duplicates.
 */
export async function respondMany(
  { read, claimCall, respond }: RespondManyPorts,
  caller: CallerFacts,
  requestId: string,
  responses: readonly unknown[],
): Promise<RespondBatchAnswer> {
  await claimCall(caller, responses);
  const results: Result[] = [];
  const refuse = (place: number, error: unknown): void => {
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    results[place] = { status: error.status, body: { ...problemOf(error, requestId) } };
  };
  const placed: Placed[] = [];
  for (const [place, response] of responses.entries()) {
    try {
      placed.push({ place, body: read(response) });
    } catch (error) {
      refuse(place, error);
    }
  }
  const one = async ({ place, body }: Placed): Promise<void> => {
    try {
      const answer = await respond({ ...caller, idempotencyKey: keyOf(caller, body, place) }, body);
      results[place] = { status: 200, body: { ...answer } };
    } catch (error) {
      refuse(place, error);
    }
  };
  const groups = inOrder(placed).values();
  const work = async (): Promise<void> => {
    // All share the groups: who is done takes the next.
    for (const group of groups) for (const each of group) await one(each);
  };
  const done = await Promise.allSettled(Array.from({ length: mostAtOnce }, work));
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
 * Responses that must be recorded one after the other: those of one customer. One that names its customer by the
 * recommendation only may be anybody's, so then all are.
 */
function inOrder(placed: readonly Placed[]): (readonly Placed[])[] {
  const isNamed = ({ body: { customerId } }: Placed) =>
    customerId !== undefined && customerId !== '' && customerId !== 'anonymous';
  if (!placed.every(isNamed)) return [placed];
  return [...Map.groupBy(placed, ({ body }) => body.customerId).values()];
}

/** The call's Idempotency-Key for one response: a key of its own is stronger, and the places keep the others apart. */
function keyOf({ idempotencyKey }: CallerFacts, body: RespondRequest, place: number): string | null {
  if (idempotencyKey === null || body.idempotencyKey !== undefined) return null;
  return JSON.stringify(['batch', idempotencyKey, place]);
}
