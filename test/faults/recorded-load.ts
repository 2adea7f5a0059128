// A mixed load that records every call and what the client learned about it (docs/design/quality.md 5): acknowledged,
// refused or unknown.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Caller, type Item, itemsOf } from './api.ts';
import type { Catalogue } from './catalogue.ts';

export type Kind = 'recommend' | 'respond' | 'createOffer' | 'updateOffer' | 'createCategory' | 'publish';

/** One call as the client knows it. */
export interface Recorded {
  readonly kind: Kind;
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What makes a repeat safe: the requestId or idempotency key of the call. */
  readonly identity: string | null;
  /** Every response so far. A call with unknown outcome is repeated if it has an identity. */
  readonly answers: Answer[];
}

export const ackOf = (call: Recorded): Answer | undefined =>
  call.answers.find((answer) => answer.status >= 200 && answer.status < 300);

/** No response arrived: the client can't know whether the call was recorded. */
export const isUnknown = (call: Recorded): boolean =>
  ackOf(call) === undefined && call.answers.some((answer) => answer.status === 0 || answer.status >= 500);

/** Returns numbers in [0, 1) that depend only on the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface RecordedLoad {
  readonly calls: readonly Recorded[];
  /** Runs workers until the signal. Each waits for `gate` after a missing response. */
  run(workers: number, signal: AbortSignal, gate: () => Promise<void>): Promise<void>;
  /** Repeats unknown calls that can be repeated, until they are acknowledged or refused. */
  settle(): Promise<void>;
  /** Repeats some acknowledged calls. A repeat gets the first response again. */
  repeatSome(share: number): Promise<{ readonly call: Recorded; readonly again: Answer }[]>;
}

/** The checker reports whatever is unsettled by then. */
const settlePatienceMs = 30_000;

const outcomes = ['impression', 'click', 'convert', 'dismiss', 'deferred', 'not_presented'];

export function createLoad(call: Caller, catalogue: Catalogue, random: () => number, label: string): RecordedLoad {
  const calls: Recorded[] = [];
  /** Acknowledged items that can be responded to. */
  const shown: Item[] = [];
  let made = 0;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  /** A few busy customers, and many that come once or twice. */
  const customer = (): string =>
    random() < 0.3 ? `${label}-busy-${Math.floor(random() * 8)}` : `${label}-${Math.floor(made / 8)}`;

  function recommend(): Recorded {
    const requestId = random() < 0.5 ? randomUUID() : null;
    const body = {
      customerId: customer(),
      channel: random() < 0.6 ? 'email' : 'phone',
      limit: 1 + Math.floor(random() * 3),
      ...(requestId === null ? {} : { requestId }),
    };
    return post('recommend', 'recommend', body, requestId);
  }

  function respond(): Recorded {
    const key = `${label} answer ${made}`;
    const item = shown.length > 0 && random() < 0.85 ? pick(shown.slice(-40)) : null;
    const subject =
      item === null
        ? { customerId: customer(), creativeId: pick(catalogue.creatives), outcome: pick(outcomes.slice(1, 5)) }
        : { interactionId: item.interactionId, outcome: pick(outcomes) };
    const value = subject.outcome === 'convert' ? { conversionValue: Math.floor(random() * 1000) / 4 } : {};
    // The context returns in the history row, so that the checker can count the rows of one key.
    return post('respond', 'respond', { ...subject, ...value, idempotencyKey: key, context: { key } }, key);
  }

  function write(): Recorded {
    const kind = random();
    if (kind < 0.5) {
      const body = { id: pick(catalogue.offers), priority: Math.floor(random() * 100) };
      return { ...post('updateOffer', 'offers', body, null), method: 'PUT' };
    }
    if (kind < 0.75) {
      const name = `${label} offer ${made}`;
      return post('createOffer', 'offers', { name, categoryId: catalogue.category }, null);
    }
    if (kind < 0.9) return post('createCategory', 'categories', { name: `${label} category ${made}` }, null);
    if (kind < 0.95) return post('publish', 'decision-flows/publish', { id: catalogue.flow }, null);
    const body = { id: catalogue.offers[0]!, tags: [`tag ${made}`], shortDesc: `changed ${made}` };
    return { ...post('updateOffer', 'offers', body, null), method: 'PUT' };
  }

  function post(kind: Kind, path: string, body: Record<string, unknown>, identity: string | null): Recorded {
    return { kind, method: 'POST', path: `/v1/${path}`, body, identity, answers: [] };
  }

  async function send(recorded: Recorded): Promise<Answer> {
    const answer = await call(recorded.method, recorded.path, recorded.body);
    recorded.answers.push(answer);
    if (recorded.kind === 'recommend' && answer.status === 200) shown.push(...itemsOf(answer.body));
    return answer;
  }

  return {
    calls,
    async run(workers, signal, gate) {
      const work = async (): Promise<void> => {
        while (!signal.aborted) {
          made++;
          const kind = random();
          const recorded = kind < 0.5 ? recommend() : kind < 0.8 ? respond() : write();
          calls.push(recorded);
          const answer = await send(recorded);
          if (answer.status === 0) await gate();
          else if (answer.status === 503 || answer.status === 429) await sleep(100);
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
    },
    async settle() {
      const until = performance.now() + settlePatienceMs;
      for (const recorded of calls) {
        if (performance.now() > until) return;
        for (let tries = 0; isUnknown(recorded) && recorded.identity !== null && tries < 20; tries++) {
          const answer = await send(recorded);
          if (answer.status === 0 || answer.status >= 500) await sleep(100);
        }
      }
    },
    async repeatSome(share) {
      const repeated: { call: Recorded; again: Answer }[] = [];
      for (const recorded of calls) {
        if (recorded.identity === null || ackOf(recorded) === undefined || random() >= share) continue;
        const again = await call(recorded.method, recorded.path, recorded.body);
        repeated.push({ call: recorded, again });
      }
      return repeated;
    },
  };
}
