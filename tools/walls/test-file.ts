/** Tests and test kits may see more than the code they test. */
export const testFile = String.raw`(\.test\.ts$|/test-[^/]+\.ts$|^packages/[^/]+/test/)`;
