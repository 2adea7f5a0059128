/** Limits of the transport (docs/design/quality.md T33). Times in milliseconds. */
export const transport = {
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  connections: 10_000,
} as const;
