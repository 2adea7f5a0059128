/** URL of the cluster that `npm test` started (tools/run-tests.ts); null when a test file is run alone. */
export function readTestClusterUrl(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.ARBITER_TEST_CLUSTER || null;
}
