import type { DecisionRequest, Json } from '@arbiter/engine';
import type { HotRow, HotStatement } from '../../../../db/index.ts';
import { readCustomerValues, windowOf } from '../../../data/behavioral-metrics/index.ts';
import type { LiveFlow, TenantCatalogue } from '../../plans/index.ts';

/** Name of the values below `customer.`. */
const metricsName = 'metrics';

/** What a decision reads of its customer's profile. */
interface WithValues {
  readonly values: Readonly<Record<string, Json>>;
}

/** The reads of the customers' behavioral metrics: one statement per kind of metric for the whole batch. */
export interface MetricReads {
  readonly statements: readonly HotStatement[];
  /** Adds the values to the profiles, one per request, in order. */
  addTo<P extends WithValues>(profiles: readonly P[], answers: readonly (readonly HotRow[])[]): P[];
}

/** `near`: about now, in epoch ms. */
export function planMetricReads(
  catalogue: TenantCatalogue,
  requests: readonly { readonly flow: LiveFlow; readonly request: DecisionRequest }[],
  near: number,
): MetricReads {
  const keysOf = ({ flow }: { readonly flow: LiveFlow }): readonly string[] => flow.readSet.metrics ?? [];
  const wanted = new Set(requests.flatMap(keysOf));
  if (wanted.size === 0) return { statements: [], addTo: (profiles) => [...profiles] };
  const metrics = catalogue.metrics.filter(({ key }) => wanted.has(key));
  const readers = requests.filter((request) => keysOf(request).length > 0);
  const customerIds = [...new Set(readers.map(({ request }) => request.customerId))];
  const now = new Date(near);
  const values = readCustomerValues(catalogue.tenantId, customerIds, metrics, ({ windowDays }) =>
    windowOf(windowDays, catalogue.settings.timezone, now, 0),
  );
  return {
    statements: values.statements,
    addTo(profiles, answers) {
      const found = values.parse(answers);
      return profiles.map((profile, at) => {
        const request = requests[at]!;
        const own = found.get(request.request.customerId);
        if (own === undefined) return profile;
        const named = new Set(keysOf(request));
        const entries: [string, Json][] = Object.entries(own).filter(([key]) => named.has(key));
        if (entries.length === 0) return profile;
        return { ...profile, values: { ...profile.values, [metricsName]: Object.fromEntries(entries) } };
      });
    },
  };
}
