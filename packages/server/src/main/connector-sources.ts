import type { Registry } from 'prom-client';
import { createSources, type Sources } from '../features/data/connectors/index.ts';
import type { createDecisionMetrics } from '../features/deciding/decisions/index.ts';
import type { ComposeConfig } from './compose-options.ts';
import { createConnectorMetrics } from './metrics/metrics.ts';
import type { OutboundCalls } from './outbound-calls.ts';

/** Connects to the sources of connectors. */
export const connectorSources = (
  config: Pick<ComposeConfig, 'CONNECTOR_ENDPOINTS' | 'IMPORT_DIR'>,
  registry: Registry,
  { outbound, sockets }: Pick<OutboundCalls, 'outbound' | 'sockets'>,
  { breakerMoved }: Pick<ReturnType<typeof createDecisionMetrics>, 'breakerMoved'>,
): Sources =>
  createSources({
    ...{ outbound, sockets },
    importFolder: config.IMPORT_DIR,
    endpoints: config.CONNECTOR_ENDPOINTS,
    onProbed: createConnectorMetrics(registry),
    onBreakerMoved: (to) => breakerMoved('connector', to),
  });
