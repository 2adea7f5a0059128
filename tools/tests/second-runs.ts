import type { Failure } from './failure-reporter.ts';
import type { Task } from './test-tasks.ts';

/** If more files fail, the machine isn't to blame. */
const maxFiles = 6;

/**
 * Returns why a busy machine may have caused a failure, or null if the test found a fault. Only missed deadlines of
 * ours (`test/deadline.ts`) or Playwright's and 503s count.
 */
export function machineReason(failure: Failure): string | null {
  if (failure.failureType !== 'testCodeFailure' && failure.failureType !== 'hookFailed') return null;
  if (failure.code === 'TEST_DEADLINE' || failure.errorName === 'TimeoutError') return `deadline: ${failure.message}`;
  if (failure.code === 'TEST_UNAVAILABLE') return `503: ${failure.message}`;
  if (failure.code === 'ERR_ASSERTION' && failure.actual === 503) return `503: ${failure.name}`;
  return null;
}

/** A task that failed, with what its tests reported. */
export interface FailedTask {
  readonly task: Task;
  readonly failures: readonly Failure[];
}

/**
 * Returns the reason for a second run of each failed task, or null if none may run again. Each must be a file of
 * `test/faults` or `test/journeys` whose failures a busy machine may have caused, and they must be few. A process that
 * ended without reporting a failure (a crash, an open handle) has no reason.
 */
export function reasonsToRunAgain(failed: readonly FailedTask[]): ReadonlyMap<Task, string> | null {
  if (failed.length === 0 || failed.length > maxFiles) return null;
  const reasons = new Map<Task, string>();
  for (const { task, failures } of failed) {
    const known = failures.map(machineReason);
    const isTimed = task.files.every((file) => /^(?:\.\/)?test\/(?:faults|journeys)\//.test(file));
    if (!isTimed || known.length === 0 || known.includes(null)) return null;
    reasons.set(task, known.join('; '));
  }
  return reasons;
}
