/** Tables of the HTTP layer. Only SQL of this folder may name them (checked by `npm run walls`). */
export const tables = ['idempotency_keys', 'rate_limit_windows'];
