/** Tables of the HTTP layer. Only SQL in this folder may name them (enforced by `npm run walls`). */
export const tables = ['idempotency_keys', 'rate_limit_windows'];

/** What a playground reset does with them. See `Resets` in feature.ts. */
export const resets = {
  empties: ['idempotency_keys'],
  keeps: { rate_limit_windows: 'callers at a limit stay at it' },
};
