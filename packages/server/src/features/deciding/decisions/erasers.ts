import type { Eraser } from '../../../feature.ts';
import { blankRequests } from './requests.store.ts';
import { blankResponses } from './respond/responses.store.ts';
import { deleteTraces } from './traces/traces.store.ts';

/** What decisions and responses store besides their records and history. */
export const decisionErasers: readonly Eraser[] = [
  {
    tables: ['decision_traces'],
    scopes: ['traces', 'all', 'everything'],
    erase: async (tx, { customerId }) => ({ decisionTraces: await deleteTraces(tx, customerId) }),
  },
  {
    tables: ['decision_requests'],
    scopes: ['traces', 'all', 'everything'],
    async erase(tx, { ref }) {
      await blankRequests(tx, ref);
      return {};
    },
  },
  {
    tables: ['response_keys'],
    scopes: ['interactions', 'all', 'everything'],
    async erase(tx, { customerId }) {
      await blankResponses(tx, customerId);
      return {};
    },
  },
];
