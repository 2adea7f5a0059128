/** Tables of the HTTP layer. Only SQL of this folder may name them (checked by `npm run walls`). */
export const tables = ['idempotency_keys', 'rate_limit_windows'];

/** What a reset of a playground does with them, see `Resets` in feature.ts. */
export const resets = {
  empties: ['idempotency_keys'],
  keeps: { rate_limit_windows: 'callers at a limit stay at it' },
};
