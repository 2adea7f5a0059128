import type { Envelope } from '../../../platform/crypto/crypto.ts';
import type { OpenReader } from './reader.ts';
import type { Sources } from './sources.ts';
import { openConnector } from './tests.service.ts';

/**
 * Returns how pipelines open connectors. It throws 404, 503 `not_configured`, and SourceError for
 * problems known before connecting: `coming_soon`, `missing_config`, `circuit_open`, `driver_missing`.
 */
export const createOpenReader =
  ({
    envelope,
    connectorSources,
  }: {
    readonly envelope: Envelope | null;
    readonly connectorSources: Sources;
  }): OpenReader =>
  async (tx, connectorId, source, rowKeys) =>
    connectorSources.open((await openConnector(tx, envelope, connectorId, source)).source, rowKeys);
