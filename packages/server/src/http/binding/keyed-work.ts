import type { Database, Tx } from '../../db/index.ts';
import { newId } from '../../platform/ids.ts';
import type { RequestFacts } from '../handler.ts';
import { type KeyedCall, payloadHash } from './idempotency.store.ts';
import { type Claim, claimKey, keepWorkAnswer, releaseKey, renewClaim } from './keyed-work.store.ts';

/** The parts of a call that its key is looked up by. */
export type OnceFacts = Pick<
  RequestFacts,
  'tenantId' | 'actor' | 'requestId' | 'until' | 'credentialId' | 'idempotencyKey'
>;

/** One attempt at work that can't be done in one transaction. */
export interface KeyedAttempt<Answer extends object> {
  /**
   * Names what the work commits and sends, so that a later attempt finds it. The same for all attempts under one key.
   */
  readonly id: string;
  /** A process had begun the work and ended: check what it committed before doing anything. */
  readonly isAgain: boolean;
  /** Makes repeats return this answer. Call it in the transaction that commits the end of the work. */
  readonly keep: (tx: Tx, answer: Answer) => Promise<void>;
}

/** The outcome of a call. */
export interface Once<Answer extends object> {
  readonly answer: Answer;
  /** An earlier call did the work. */
  readonly isRepeat: boolean;
}

/** Work under Idempotency-Keys in this process. */
export interface KeyedWork {
  /**
   * Runs irreversible work once per Idempotency-Key: repeats get its answer, and a twin that runs at the same time gets
   * 409. The key is claimed before anything is done; failed work releases it. The next repeat takes over work whose
   * process has ended. `route`: method and path.
   */
  once<Answer extends object>(
    facts: OnceFacts,
    route: string,
    input: { readonly params: object; readonly body: object },
    work: (work: KeyedAttempt<Answer>) => Promise<Answer>,
  ): Promise<Once<Answer>>;
  /** Renews this process's claims. Call it every few seconds. Rejects when the database is away. */
  renew(): Promise<void>;
}

export function createKeyedWork(database: Database): KeyedWork {
  /** The work this process is doing. */
  const claims = new Map<Claim, { readonly facts: OnceFacts; readonly call: KeyedCall }>();

  async function attempt<Answer extends object>(
    facts: OnceFacts,
    call: KeyedCall,
    claim: Claim,
    work: (work: KeyedAttempt<Answer>) => Promise<Answer>,
  ): Promise<Answer> {
    const { tenantId, actor, requestId } = facts;
    let isKept = false;
    const keep = async (tx: Tx, answer: Answer): Promise<void> => {
      await keepWorkAnswer(tx, call, claim, JSON.stringify(answer));
      isKept = true;
    };
    claims.set(claim, { facts, call });
    try {
      const answer = await work({ id: claim.workId, isAgain: claim.isAgain, keep });
      if (!isKept) throw new Error(`work of ${call.route} ended without storing its response`);
      return answer;
    } catch (error) {
      await database.withTenant(tenantId, actor, (tx) => releaseKey(tx, call, claim), { requestId });
      throw error;
    } finally {
      claims.delete(claim);
    }
  }

  return {
    async once(facts, route, input, work) {
      const { tenantId, actor, requestId, until, credentialId, idempotencyKey } = facts;
      if (idempotencyKey === null) {
        return { answer: await work({ id: newId(), isAgain: false, keep: async () => {} }), isRepeat: false };
      }
      const call = { credentialId, route, key: idempotencyKey, payloadHash: payloadHash(input.params, {}, input.body) };
      const fresh = { workId: newId(), holderId: newId() };
      const found = await database.withTenant(tenantId, actor, (tx) => claimKey(tx, call, fresh), { requestId, until });
      if ('holderId' in found) return { answer: await attempt(facts, call, found, work), isRepeat: false };
      return { answer: JSON.parse(found.body ?? 'null'), isRepeat: true };
    },
    async renew() {
      const failures: unknown[] = [];
      for (const [claim, { facts, call }] of claims) {
        const renewal = database.withTenant(facts.tenantId, facts.actor, (tx) => renewClaim(tx, call, claim));
        await renewal.catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
