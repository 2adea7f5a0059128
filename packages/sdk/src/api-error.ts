import type { ErrorCode, ErrorEntry, Problem } from '@arbiter/contract';

/** An answer with a status outside 200 to 299. `problem` is null when it did not come from Arbiter (a proxy's error page). */
export class ApiError extends Error {
  readonly operationId: string;
  readonly status: number;
  readonly problem: Problem | null;

  constructor(operationId: string, status: number, problem: Problem | null) {
    super(
      `${operationId}: ${status} ${problem === null ? 'without a problem body' : `${problem.code}: ${problem.error}`}`,
    );
    this.name = 'ApiError';
    this.operationId = operationId;
    this.status = status;
    this.problem = problem;
  }

  get code(): ErrorCode | null {
    return this.problem?.code ?? null;
  }

  /** What is wrong with the input, with pointers into it. */
  get errors(): readonly ErrorEntry[] {
    return this.problem?.errors ?? [];
  }

  get requestId(): string | null {
    return this.problem?.requestId ?? null;
  }

  /** Seconds to wait before the next try; null when there is nothing to wait for. */
  get retryAfterSeconds(): number | null {
    return this.problem?.retryAfterSeconds ?? null;
  }
}

/** True for the body of an error answer of Arbiter. */
export function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'code') === 'string' &&
    String(Reflect.get(value, 'type')).startsWith('urn:arbiter:error:')
  );
}
