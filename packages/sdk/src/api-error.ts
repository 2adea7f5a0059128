import type { ErrorCode, ErrorEntry, Problem } from '@arbiter/contract';

/** Thrown for a status outside 200 to 299. `problem` is null if the response didn't come from Arbiter (a proxy's error page). */
export class ApiError extends Error {
  readonly operationId: string;
  readonly status: number;
  readonly problem: Problem | null;

  constructor(operationId: string, status: number, problem: Problem | null) {
    super(
      `${operationId}: ${status} ${problem === null ? 'response without a problem document' : `${problem.code}: ${problem.error}`}`,
    );
    this.name = 'ApiError';
    this.operationId = operationId;
    this.status = status;
    this.problem = problem;
  }

  get code(): ErrorCode | null {
    return this.problem?.code ?? null;
  }

  /** Problems with the input, with JSON pointers into it. */
  get errors(): readonly ErrorEntry[] {
    return this.problem?.errors ?? [];
  }

  get requestId(): string | null {
    return this.problem?.requestId ?? null;
  }

  /** Seconds to wait before retrying; null if the server names none. */
  get retryAfterSeconds(): number | null {
    return this.problem?.retryAfterSeconds ?? null;
  }
}

/** Whether a body is a problem document from Arbiter. */
export function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'code') === 'string' &&
    String(Reflect.get(value, 'type')).startsWith('urn:arbiter:error:')
  );
}
