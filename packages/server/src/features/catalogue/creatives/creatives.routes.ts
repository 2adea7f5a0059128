import { reply } from '../../../http/handler.ts';
import { recordHandlers } from '../catalogue-records/index.ts';
import {
  type CreativePorts,
  createCreative,
  deleteCreative,
  showCreatives,
  updateCreative,
} from './creatives.service.ts';
import { creativeSpec } from './creatives.store.ts';

export const creativeRoutes = (ports: CreativePorts) =>
  recordHandlers(creativeSpec, {
    show: (tx, rows) => showCreatives(tx, rows, ports),
    create: (tx, body) => createCreative(tx, body, ports.tellChange),
    change: (tx, id, rowVersion, changes) => updateCreative(tx, id, rowVersion, changes, ports.tellChange),
    remove: async (tx, id, addressed) => reply(200, await deleteCreative(tx, id, addressed)),
  });
