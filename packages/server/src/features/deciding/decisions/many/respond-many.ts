import type { RespondAnswer, RespondBatchAnswer, RespondRequest } from '@arbiter/contract';
import type { CallerFacts } from '../caller.ts';
import { isAnonymous } from '../recommend/recommend.rules.ts';
import { type PlacedItem, readItems, rejectionOf, settle } from './item-results.ts';

type Result = RespondBatchAnswer['results'][number];

/** What a call of many responses needs. */
export interface RespondManyPorts {
  /** A response that is well formed; else it throws AppError `validation_failed`. */
  readonly read: (response: unknown) => RespondRequest;
  /** Gives the caller's Idempotency-Key to this call. Throws AppError `idempotency_key_reused` when another call has it. */
  readonly claimCall: (caller: CallerFacts, route: 'respond/batch', responses: readonly unknown[]) => Promise<unknown>;
  /** Returns the customers of responses that name none, by response. Leaves out responses about nobody. */
  readonly customersOf: (
    caller: CallerFacts,
    responses: readonly RespondRequest[],
  ) => Promise<ReadonlyMap<RespondRequest, string>>;
  readonly respond: (caller: CallerFacts, body: RespondRequest) => Promise<RespondAnswer>;
}

/**
 * Responses of one call that are under way at once: two batches. More would wait for their turn, be refused because it does
 * not come in time, and make the responses of everyone else wait as well.
 */
const maxAtOnce = 128;

type PlacedResponse = PlacedItem<RespondRequest>;

/**
 * Records responses one by one (docs/design/api-settled.md 77): those of one customer in the given order, others in
 * parallel. A rejection goes into the response's result. Any other failure fails the call once all others are done; a
 * repeat of the call then finds them as duplicates.
 */
export async function respondMany(
  { read, claimCall, customersOf, respond }: RespondManyPorts,
  caller: CallerFacts,
  requestId: string,
  responses: readonly unknown[],
): Promise<RespondBatchAnswer> {
  await claimCall(caller, 'respond/batch', responses);
  const results: Result[] = [];
  const refuse = (place: number, error: unknown): void => {
    results[place] = rejectionOf(error, requestId);
  };
  const placed = readItems(responses, read, refuse);
  const one = async ({ place, body }: PlacedResponse): Promise<void> => {
    try {
      const answer = await respond({ ...caller, idempotencyKey: keyOf(caller, body, place) }, body);
      results[place] = { status: 200, body: { ...answer } };
    } catch (error) {
      refuse(place, error);
    }
  };
  const orders = await inOrder(placed, (bodies) => customersOf(caller, bodies));
  // With few customers, run several responses of each at once, or the last of many wouldn't get its turn in time.
  const atOnce = Math.max(1, Math.floor(maxAtOnce / Math.max(1, orders.length)));
  const runs = orders.map((order) => runsOf(order, atOnce)).values();
  const work = async (): Promise<void> => {
    // All share the customers: whoever finishes takes the next.
    for (const ofCustomer of runs) for (const run of ofCustomer) await settle(run.map(one));
  };
  await settle(Array.from({ length: maxAtOnce }, work));
  const count = (holds: (result: Result) => boolean): number => results.filter(holds).length;
  return {
    results,
    recorded: count(({ body }) => body.status === 'recorded'),
    duplicates: count(({ body }) => body.status === 'duplicate'),
    failed: count(({ status }) => status !== 200),
  };
}

/** Groups responses by customer, each in the given order. Those about nobody known don't wait for others. */
async function inOrder(
  placed: readonly PlacedResponse[],
  customersOf: (bodies: readonly RespondRequest[]) => Promise<ReadonlyMap<RespondRequest, string>>,
): Promise<(readonly PlacedResponse[])[]> {
  const unnamed = placed.filter(({ body }) => isAnonymous(body.customerId)).map(({ body }) => body);
  const found: ReadonlyMap<RespondRequest, string> = unnamed.length === 0 ? new Map() : await customersOf(unnamed);
  const customerOf = ({ place, body }: PlacedResponse): string | number =>
    isAnonymous(body.customerId) ? (found.get(body) ?? place) : (body.customerId ?? place);
  return [...Map.groupBy(placed, customerOf).values()];
}

/**
 * The responses of a customer in pieces of at most `length` that may be handed over together: work that is known by one key is
 * done in the order in which it came.
 */
function runsOf(order: readonly PlacedResponse[], length: number): (readonly PlacedResponse[])[] {
  const runs: PlacedResponse[][] = [];
  let key: string | null = null;
  for (const each of order) {
    const own = workKey(each.body);
    const last = runs.at(-1);
    if (last === undefined || own !== key || last.length >= length) runs.push([each]);
    else last.push(each);
    key = own;
  }
  return runs;
}

/** Identifies a response as sent; equal for responses that share a batcher key. */
const workKey = ({ customerId, recommendationId, interactionId }: RespondRequest): string =>
  JSON.stringify([isAnonymous(customerId) ? [recommendationId, interactionId] : customerId]);

/** The call's Idempotency-Key for one response: a key of its own is stronger, and the places keep the others apart. */
function keyOf({ idempotencyKey }: CallerFacts, body: RespondRequest, place: number): string | null {
  if (idempotencyKey === null || body.idempotencyKey !== undefined) return null;
  return JSON.stringify(['batch', idempotencyKey, place]);
}
