import { connectorTypeNames } from '@arbiter/contract';
import type { Command } from '../../command.ts';
import { UsageError } from '../../exit-codes.ts';
import { loadServer } from './serve.ts';

export const connectorsInstall: Command = {
  name: 'connectors install',
  summary: 'install the driver of a connector type (operator)',
  help: `Install the driver of a connector type into DATA_DIR/drivers. Only sqlserver and azure_sql need one.

Usage: arbiter connectors install <type>

Needs npm and the server's DATA_DIR. A running server finds the driver without a restart. Exits 1 when npm can't install it.

Examples:
  arbiter connectors install sqlserver`,
  options: {},
  async run(call) {
    const [type, ...more] = call.positionals;
    if (type === undefined || more.length > 0) throw new UsageError('expects one connector type');
    if (!connectorTypeNames.some((name) => name === type)) throw new UsageError(`unknown connector type: ${type}`);
    const { installDriver } = await loadServer();
    return installDriver(call, type);
  },
};
