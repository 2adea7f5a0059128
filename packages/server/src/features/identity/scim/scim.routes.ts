import type { scimOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { listOf, resourceTypes, schemaDocuments, serviceProviderConfig } from './scim.documents.ts';
import { projectionOf, showUser } from './scim.resource.ts';
import {
  createScimUser,
  deactivateScimUser,
  listScimUsers,
  patchScimUser,
  readScimUser,
  replaceScimUser,
} from './scim.service.ts';

export interface ScimPorts {
  /** Address under which callers reach the server, for the addresses of resources. */
  readonly publicUrl: string;
}

/** Handlers of SCIM. */
export function scimRoutes(ports: ScimPorts): Handlers<typeof scimOperations> {
  const publicUrl = ports.publicUrl.replace(/\/+$/, '');
  const named = <D extends { readonly id: string }>(documents: readonly D[], id: string): D => {
    const found = documents.find((document) => document.id.toLowerCase() === id.toLowerCase());
    if (found === undefined) throw new AppError('not_found', { detail: 'This document does not exist.' });
    return found;
  };
  return {
    listUsers: async (tx, { query }) => {
      const show = projectionOf(query);
      const { startIndex = 1, count = 100, filter = null } = query;
      const page = await listScimUsers(tx, { startIndex, count, filter });
      const users = page.rows.map((row) => show(showUser(row, publicUrl, true)));
      return reply(200, listOf(users, page));
    },
    createUser: async (tx, { query, body }) => {
      const show = projectionOf(query);
      const user = showUser(await createScimUser(tx, body), publicUrl, false);
      return reply(201, show(user), { location: user.meta.location });
    },
    getUser: async (tx, { params, query }) => {
      const show = projectionOf(query);
      return reply(200, show(showUser(await readScimUser(tx, params.id), publicUrl, false)));
    },
    replaceUser: async (tx, { params, query, body }) => {
      const show = projectionOf(query);
      return reply(200, show(showUser(await replaceScimUser(tx, params.id, body), publicUrl, false)));
    },
    patchUser: async (tx, { params, query, body }) => {
      const show = projectionOf(query);
      return reply(200, show(showUser(await patchScimUser(tx, params.id, body), publicUrl, false)));
    },
    deleteUser: async (tx, { params }) => {
      await deactivateScimUser(tx, params.id);
      return reply(204, null);
    },
    listGroups: async ({ query }) => reply(200, listOf([], { startIndex: Math.max(1, query.startIndex ?? 1) })),
    serviceProviderConfig: async () => reply(200, serviceProviderConfig(publicUrl)),
    listResourceTypes: async () => reply(200, listOf(resourceTypes(publicUrl))),
    getResourceType: async ({ params }) => reply(200, named(resourceTypes(publicUrl), params.id)),
    listSchemas: async () => reply(200, listOf(schemaDocuments(publicUrl))),
    getSchema: async ({ params }) => reply(200, named(schemaDocuments(publicUrl), params.id)),
  };
}
