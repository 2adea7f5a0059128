import type { DecisionListRow } from '@arbiter/contract/deciding/decision-lists';

/** The data that the first steps are derived from. */
export interface Done {
  readonly decided: boolean;
  /** A customer has more than one decision. */
  readonly again: boolean;
  /** A key was used; null: the user can't see that. */
  readonly called: boolean | null;
}

/** @param keys last use of each key; null if the user can't list them */
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

/** Counts the completed steps, among those that can be known. */
export function countDone({ decided, again, called }: Done): { readonly done: number; readonly all: number } {
  const known = [decided, again, ...(called === null ? [] : [called])];
  return { done: known.filter(Boolean).length, all: known.length };
}

/** Returns a shell command for the same decision. The user fills in the key, which is shown only once. */
export function curlFor(address: string, question: { readonly customerId: string; readonly channel?: string }): string {
  const body = JSON.stringify(question).replaceAll("'", "'\\''");
  return [
    `curl '${new URL('api/v1/recommend', address).href}'`,
    `  -H "Authorization: Bearer $ARBITER_API_KEY"`,
    `  -H 'X-Requested-With: curl' -H 'Content-Type: application/json'`,
    `  -d '${body}'`,
  ].join(' \\\n');
}
