import { QueryClient } from '@tanstack/react-query';
import { failureOf, passes } from './failure.ts';

/** How long an answer counts as fresh, in milliseconds (docs/design/console.md 5.2). */
const freshMs = 15_000;
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/**
 * How long a read waits before it is tried again, in milliseconds: longer each time, and never at the same moment as the
 * reads of other tabs. `draw` is from 0 to 1.
 */
export function retryWait(attempt: number, draw: number = Math.random()): number {
  const most = Math.min(longestWaitMs, firstWaitMs * 2 ** attempt);
  return most / 2 + (most / 2) * draw;
}

/** The memory of answers: one for the page, never stored. Reads that may yet succeed are tried again, writes never. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        refetchOnWindowFocus: true,
        // `fetch` finds out by itself whether there is a network; the browser's own word for it is often wrong.
        networkMode: 'always',
        retry: (count, error) => passes(failureOf(error)) && count < 20,
        retryDelay: (attempt) => retryWait(attempt),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
