import { gitopsOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { gitopsRoutes } from './gitops.routes.ts';
import type { GitopsPorts } from './gitops.service.ts';

export { overlayOfFolder } from './folder-overlay.ts';
export type { GitopsPorts } from './gitops.service.ts';
export { withOverlay } from './overlay.service.ts';
export { type FolderFiles, type FolderObject, readPolicyFolder } from './read-folder.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['applied_files'];

export const gitopsFeature = feature({
  name: 'gitops',
  tables,
  resets: { empties: tables },
  operations: (ports: GitopsPorts) => handlerEntries(gitopsOperations, gitopsRoutes(ports)),
});
