/** Tables of the HTTP layer: nobody else's code names them (see the walls). */
export const tables = ['idempotency_keys', 'rate_limit_windows'];
