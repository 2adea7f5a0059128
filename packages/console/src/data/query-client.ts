import { QueryClient } from '@tanstack/react-query';

/** How long an answer counts as fresh, in milliseconds (docs/design/console.md 5.2). */
const freshMs = 15_000;

/** The memory of answers: one for the page, never stored. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: freshMs, refetchOnWindowFocus: true, retry: false },
      mutations: { retry: false },
    },
  });
}
