import { contentOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { searchable } from '../catalogue-records/index.ts';
import type { ReadProfile } from './content.render.ts';
import { contentRoutes } from './content.routes.ts';
import { contentSpec } from './content.store.ts';

export { withIds } from './blocks.rules.ts';
export type { ReadProfile } from './content.render.ts';
export { contentHandlersInside } from './content.routes.ts';
export { publishedContent, requireContentItem } from './content.service.ts';
export { type PublishedName, publishedNames, readPublished } from './content.store.ts';
export { type ContentParts, mergeParts } from './merge.rules.ts';
export { shownParts } from './shown.rules.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['content', 'content_versions'];

export const contentFeature = feature({
  name: 'content',
  tables,
  searches: [searchable(contentSpec, { detail: 'status' })],
  resets: { empties: ['content'], emptiesHistory: ['content_versions'] },
  operations: ({ readProfile }: { readonly readProfile: ReadProfile }) =>
    handlerEntries(contentOperations, contentRoutes({ readProfile })),
});
