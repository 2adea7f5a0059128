import type { Config } from '../../config.ts';
import type { Metrics } from '../metrics/node-metrics.ts';
import type { ServerAddress } from '../place.ts';
import type { WorkChecks, WorkFacts } from './server-process.ts';

/** Messages between the primary process and the server processes (docs/adr/0018). */

/** To a server process. */
export type ToProcess =
  /** The first word: everything that it needs. With `work`, it also does the background work. */
  | {
      readonly kind: 'start';
      readonly config: Config;
      readonly place: ServerAddress;
      readonly name: string;
      readonly work: WorkFacts | null;
    }
  | { readonly kind: 'listen' }
  | { readonly kind: 'take-over'; readonly work: WorkFacts }
  /** A new process has started: spread the clients again. */
  | { readonly kind: 'spread' }
  | { readonly kind: 'tell-metrics'; readonly id: number }
  | { readonly kind: 'tell-work'; readonly id: number }
  /** Answers the process's own question; null when nobody could. */
  | { readonly kind: 'answer'; readonly id: number; readonly value: string | WorkChecks | null }
  | { readonly kind: 'stop' };

/** From a server process. */
export type FromProcess =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'listening' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: Metrics }
  | { readonly kind: 'work'; readonly id: number; readonly checks: WorkChecks }
  /** The name under which the process takes jobs. */
  | { readonly kind: 'worker'; readonly name: string }
  | { readonly kind: 'ask-metrics'; readonly id: number }
  | { readonly kind: 'ask-work'; readonly id: number }
  /** A tenant's counts, as JSON. */
  | { readonly kind: 'ask-summary'; readonly id: number; readonly tenantId: string }
  /** The last message, with the process's counters. */
  | { readonly kind: 'ended'; readonly metrics: Metrics };

/** Questions that wait for an answer; one that does not come in time is null. */
export interface Questions<T> {
  /** `ask` sends the question under the id it is given. */
  ask(ask: (id: number) => void, withinMs: number): Promise<T | null>;
  answer(id: number, value: T | null): void;
}

export function createQuestions<T>(): Questions<T> {
  const open = new Map<number, (value: T | null) => void>();
  let last = 0;
  return {
    ask(ask, withinMs) {
      last += 1;
      const id = last;
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle(null), withinMs);
        const settle = (value: T | null): void => {
          clearTimeout(timer);
          open.delete(id);
          resolve(value);
        };
        open.set(id, settle);
        ask(id);
      });
    },
    answer: (id, value) => open.get(id)?.(value),
  };
}
