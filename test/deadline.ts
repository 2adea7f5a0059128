/**
 * The codes of failures that a busy machine can cause without anything being wrong: a deadline of the test passed, or the server
 * answered 503 as it should. Only after these may a file of `test/faults` or `test/journeys` run a second time
 * (`tools/second-runs.ts`). Assertions about caps, lost or doubled writes, isolation and bytes never use them.
 */
const deadlineCode = 'TEST_DEADLINE';
export const unavailableCode = 'TEST_UNAVAILABLE';

/** Throws a failure with `TEST_DEADLINE` unless `isInTime`. */
export function assertInTime(isInTime: boolean, message: string): void {
  if (!isInTime) throw Object.assign(new Error(message), { code: deadlineCode });
}
