import type { Registry } from 'prom-client';
import { createSources, type Sources } from '../../features/data/connectors/index.ts';
import type { createDecisionMetrics } from '../../features/deciding/decisions/index.ts';
import { createDrivers, driversFolder } from '../../platform/packages/optional-drivers.ts';
import { createAwsRoles } from '../../platform/sources/aws-roles.ts';
import type { ComposeConfig } from '../compose-options.ts';
import { createConnectorMetrics } from '../metrics/metrics.ts';
import type { OutboundCalls } from '../outbound/outbound-calls.ts';

/** Connects to the sources of connectors. */
export const connectorSources = (
  config: Pick<ComposeConfig, 'CONNECTOR_ENDPOINTS' | 'CONNECTOR_ROLES' | 'DATA_DIR' | 'IMPORT_DIR'>,
  registry: Registry,
  { outbound, sockets }: Pick<OutboundCalls, 'outbound' | 'sockets'>,
  { breakerMoved }: Pick<ReturnType<typeof createDecisionMetrics>, 'breakerMoved'>,
): Sources =>
  createSources({
    ...{ outbound, sockets },
    drivers: createDrivers(driversFolder(config.DATA_DIR)),
    awsRoles: createAwsRoles({ roles: config.CONNECTOR_ROLES }),
    importFolder: config.IMPORT_DIR,
    endpoints: config.CONNECTOR_ENDPOINTS,
    onProbed: createConnectorMetrics(registry),
    onBreakerMoved: (to) => breakerMoved('connector', to),
  });
