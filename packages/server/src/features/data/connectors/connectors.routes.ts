import type { connectorOperations } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import type { Handlers } from '../../../http/handler.ts';
import {
  createRecord,
  hardDeleteRecord,
  inUse,
  inUseEntry,
  noContent,
  recordHandlers,
  toWire,
  updateRecord,
} from '../../catalogue/catalogue-records/index.ts';
import { connectorSpec } from './connectors.store.ts';

/** Port: what names this connector? */
export type FindConnectorUses = (
  tx: Tx,
  id: string,
) => Promise<readonly { readonly noun: string; readonly name: string; readonly id: string }[]>;

export interface ConnectorPorts {
  readonly findConnectorUses: FindConnectorUses;
}

export const connectorRoutes = ({ findConnectorUses }: ConnectorPorts): Handlers<typeof connectorOperations> =>
  recordHandlers(connectorSpec, {
    show: async (_, rows) =>
      rows.map(({ lastSyncAt: _at, lastSyncRowCount: _count, ...row }) => ({
        ...toWire(row),
        config: { ...row.config },
      })),
    create: (tx, body) => createRecord(tx, connectorSpec, body),
    change: (tx, id, rowVersion, changes) => updateRecord(tx, connectorSpec, id, { rowVersion, change: () => changes }),
    remove: (tx, id, addressed) =>
      noContent(
        hardDeleteRecord(tx, connectorSpec, id, {
          addressed,
          async check(connector) {
            const uses = await findConnectorUses(tx, connector.id);
            const entries = uses.map((use) => inUseEntry(addressed, use.noun, use.name, use.id));
            if (entries.length > 0) throw inUse('connector', entries);
          },
        }).then(() => undefined),
      ),
  });
