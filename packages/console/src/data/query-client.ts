import { QueryClient } from '@tanstack/react-query';
import { failureOf, passes } from './failure.ts';

/** How long a response counts as fresh, in milliseconds (docs/design/console.md, section 5.2). */
const freshMs = 15_000;
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/** Returns the delay before a retry, in milliseconds: exponential, with jitter between tabs. `draw` is from 0 to 1. */
export function retryWait(attempt: number, draw: number = Math.random()): number {
  const most = Math.min(longestWaitMs, firstWaitMs * 2 ** attempt);
  return most / 2 + (most / 2) * draw;
}

/** The page's response cache; never stored. Retries reads that may succeed, never writes. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        refetchOnWindowFocus: true,
        // `fetch` detects the network itself; the browser's online flag is often wrong.
        networkMode: 'always',
        retry: (count, error) => passes(failureOf(error)) && count < 20,
        retryDelay: (attempt) => retryWait(attempt),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
