import { cronExportOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type EraseExportsPorts, eraseLater } from './erase-exports.service.ts';
import { exportJobs } from './exports.jobs.ts';
import { type ExportRoutePorts, exportRoutes } from './exports.routes.ts';
import type { ExportPorts } from './exports.service.ts';

export { countFailedExports, exportedBelow, forgetLateRows } from './exports.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['export_checkpoints', 'exported_rows', 'export_late_rows', 'export_erasures'];

export const exportsFeature = feature({
  name: 'exports',
  tables,
  resets: {
    empties: ['exported_rows', 'export_late_rows', 'export_erasures'],
    keeps: { export_checkpoints: 'files that were written are kept, and so are their names' },
  },
  erases: [
    {
      // Keyed hashes, until the files are rewritten.
      tables: ['export_erasures'],
      scopes: ['interactions', 'all', 'everything'],
      erase: async () => ({}),
      later: eraseLater,
    },
  ],
  operations: (ports: ExportRoutePorts) => handlerEntries(cronExportOperations, exportRoutes(ports)),
  jobs: (ports: ExportPorts & EraseExportsPorts) => exportJobs(ports),
});
