import type { DecisionListRow } from '@arbiter/contract/deciding/decision-lists';

/** What the start page's list of first steps is derived from: data, not clicks. */
export interface Done {
  readonly decided: boolean;
  /** One customer was decided for more than once. */
  readonly again: boolean;
  /** A key was used; null: the caller may not know. */
  readonly called: boolean | null;
}

/** @param keys when each key was last used; null where the caller may not list them */
export function doneOf(
  decisions: readonly Pick<DecisionListRow, 'customerId'>[],
  keys: readonly { readonly lastUsedAt: string | null }[] | null,
): Done {
  const customers = decisions.map(({ customerId }) => customerId).filter((id) => id !== null);
  return {
    decided: decisions.length > 0,
    again: new Set(customers).size < customers.length,
    called: keys === null ? null : keys.some(({ lastUsedAt }) => lastUsedAt !== null),
  };
}

/** How many of the steps that can be known are done. */
export function countDone({ decided, again, called }: Done): { readonly done: number; readonly all: number } {
  const known = [decided, again, ...(called === null ? [] : [called])];
  return { done: known.filter(Boolean).length, all: known.length };
}

/** A call from a shell that does what the page did. The key is left to be filled in: it is never shown again. */
export function curlFor(address: string, question: { readonly customerId: string; readonly channel?: string }): string {
  const body = JSON.stringify(question).replaceAll("'", "'\\''");
  return [
    `curl '${new URL('api/v1/recommend', address).href}'`,
    `  -H "Authorization: Bearer $ARBITER_API_KEY"`,
    `  -H 'X-Requested-With: curl' -H 'Content-Type: application/json'`,
    `  -d '${body}'`,
  ].join(' \\\n');
}
