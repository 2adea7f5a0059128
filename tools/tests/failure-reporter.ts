import type { TestEvent } from 'node:test/reporters';

/** A test that failed on its own, not because a subtest failed. */
export interface Failure {
  readonly name: string;
  readonly failureType: string;
  readonly errorName: string;
  readonly code: string;
  readonly message: string;
  /** The actual value of a failed assertion if it is a number, such as a response's status. */
  readonly actual: number | null;
}

/** A reporter of node:test that writes one JSON line per failure, for `tools/tests/second-runs.ts`. */
// biome-ignore lint/style/noDefaultExport: node:test loads a reporter by its default export.
export default async function* failureReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type !== 'test:fail') continue;
    const error = event.data.details.error as Error & { failureType?: string; cause?: unknown };
    if (error.failureType === 'subtestsFailed') continue;
    yield `${JSON.stringify(failureOf(event.data.name, error))}\n`;
  }
}

function failureOf(name: string, error: Error & { failureType?: string; cause?: unknown }): Failure {
  const cause: unknown = error.cause ?? error;
  const field = (key: string): unknown =>
    typeof cause === 'object' && cause !== null ? Reflect.get(cause, key) : undefined;
  const actual = field('actual');
  return {
    name,
    failureType: error.failureType ?? '',
    errorName: String(field('name') ?? ''),
    code: String(field('code') ?? ''),
    message: String(field('message') ?? cause).slice(0, 300),
    actual: typeof actual === 'number' ? actual : null,
  };
}
