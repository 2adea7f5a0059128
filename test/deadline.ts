/**
 * Codes of failures that a busy machine can cause without a fault: the test missed a deadline, or the server answered 503 as
 * it should. Only these allow a file of `test/faults` or `test/journeys` a second run (`tools/tests/second-runs.ts`). Assertions
 * about caps, lost or doubled writes, isolation and bytes never use them.
 */
const deadlineCode = 'TEST_DEADLINE';
export const unavailableCode = 'TEST_UNAVAILABLE';

/** Throws a failure with `TEST_DEADLINE` unless `isInTime`. */
export function assertInTime(isInTime: boolean, message: string): void {
  if (!isInTime) throw Object.assign(new Error(message), { code: deadlineCode });
}

/** Throws a failure with `TEST_UNAVAILABLE`, for a 503 that the test didn't cause. */
export function failUnavailable(answer: string): never {
  throw Object.assign(new Error(answer), { code: unavailableCode });
}
