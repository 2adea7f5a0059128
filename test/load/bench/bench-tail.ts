// What makes single decisions slow: each scenario is a row of docs/benchmarks.md (the tail of
// docs/design/decisioning.md 6).
import { type BenchTarget, changeOffer, post, publishFlow, someOffers } from './bench-catalogue.ts';
import { type Customers, type LoadOptions, load, type Measured } from './bench-load.ts';

/** A load, and how to put it: the server, its flow and its customers. */
export type Usual = Omit<LoadOptions, 'rate' | 'hotShare' | 'extra'>;

/** A tenant's catalogue changes every 500 ms, while decisions come in at `rate`. */
export async function changingCatalogue(target: BenchTarget, usual: Usual, rate: number): Promise<Measured> {
  const offers = await someOffers(target);
  let over = false;
  const changes = (async () => {
    for (let n = 0; !over; n++) {
      await changeOffer(target, offers[n % offers.length]!, 20 + (n % 70));
      await new Promise((wake) => setTimeout(wake, 500));
    }
  })();
  const measured = await load({ ...usual, rate });
  over = true;
  await changes;
  return measured;
}

/** One customer requests a fifth of all decisions. */
export const hotCustomer = (usual: Usual, rate: number): Promise<Measured> => load({ ...usual, rate, hotShare: 0.2 });

/**
 * Gives each of the first `count` customers `contacts` contacts, 50 a decision. The tenant's caps must allow it.
 */
export async function contactCustomers(target: BenchTarget, customers: Customers, contacts: number): Promise<void> {
  await publishFlow(target, 'bench-fill', 50);
  const ids = Array.from(
    { length: customers.count },
    (_, i) => `${customers.prefix}${String(i + 1).padStart(customers.digits, '0')}`,
  );
  await Promise.all(
    ids.map(async (customerId) => {
      for (let left = contacts; left > 0; left -= 50) {
        await post(target, 'recommend', { customerId, channel: 'email', limit: 50, decisionFlowKey: 'bench-fill' });
      }
    }),
  );
}

/** ms that the first decision after a start took, seen by its caller. */
export async function firstDecision(target: BenchTarget, flow: string): Promise<number> {
  const at = performance.now();
  await post(target, 'recommend', { customerId: 'B-0000001', channel: 'email', limit: 3, decisionFlowKey: flow });
  return performance.now() - at;
}
