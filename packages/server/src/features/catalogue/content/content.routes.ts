import type { contentOperations } from '@arbiter/contract';
import { type AnyHandler, type Handlers, reply, type TenantHandler } from '../../../http/handler.ts';
import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import { previewContent, type ReadProfile, renderContent } from './content.render.ts';
import {
  archiveContent,
  changeContent,
  createContent,
  readVersions,
  revertContent,
  showContent,
  showContentItem,
} from './content.service.ts';
import { contentSpec } from './content.store.ts';
import { approveContent, publishContent, rejectContent, submitContent } from './content.workflow.ts';

const contentRecordRoutes = () =>
  recordHandlers(contentSpec, {
    show: showContent,
    create: createContent,
    change: changeContent,
    remove: (tx, id) => noContent(archiveContent(tx, id)),
  });

/** Reverts on behalf of a restore, which may bring an archived item back unchanged. */
export const contentHandlersInside = (): ReadonlyMap<string, AnyHandler> => {
  const revert: TenantHandler<typeof contentOperations.revert> = async (tx, { params }) =>
    reply(200, await showContentItem(tx, await revertContent(tx, params.id, params.version, { mayBeCurrent: true })));
  return new Map<string, AnyHandler>([['content.revert', revert]]);
};

export function contentRoutes({
  readProfile,
}: {
  readonly readProfile: ReadProfile;
}): Handlers<typeof contentOperations> {
  return {
    ...contentRecordRoutes(),
    submit: async (tx, { params }) => reply(200, await showContentItem(tx, await submitContent(tx, params.id))),
    approve: async (tx, { params }) => reply(200, await showContentItem(tx, await approveContent(tx, params.id))),
    publish: async (tx, { params }) => reply(200, await showContentItem(tx, await publishContent(tx, params.id))),
    reject: async (tx, { params, body }) =>
      reply(200, await showContentItem(tx, await rejectContent(tx, params.id, body.reason ?? null))),
    versions: async (tx, { params }) => reply(200, await readVersions(tx, params.id)),
    revert: async (tx, { params }) =>
      reply(200, await showContentItem(tx, await revertContent(tx, params.id, params.version))),
    render: async (tx, { params, body }) => reply(200, await renderContent(tx, params.id, body, readProfile)),
    preview: async (tx, { body }) => reply(200, await previewContent(tx, body, readProfile)),
  };
}
