import Type, { type Static } from 'typebox';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { Id, JsonObject, Name, StringEnum, Timestamp } from '../core/schemas.ts';

// Connectors (docs/design/api-catalogue.md 14).

export const connectorStatuses = ['active', 'error', 'inactive'] as const;

const shared = {
  name: Name('Name. Unique among connectors.'),
  type: Type.String({ minLength: 1, maxLength: 64, description: 'Type of the source.' }),
  status: StringEnum(connectorStatuses, { description: 'Only pipelines of active connectors run. Default active.' }),
  config: JsonObject('Settings of the source.'),
};

export const Connector = Type.Object(
  {
    id: Id('Id of the connector.'),
    tenantId: Id('Tenant.'),
    ...shared,
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A connector.' },
);
export type Connector = Static<typeof Connector>;

const changes = Type.Partial(Type.Object(shared)).properties;
export const ConnectorCreate = Type.Object(
  { ...changes, name: shared.name, type: shared.type },
  { description: 'A new connector.', examples: [{ name: 'Warehouse', type: 'postgresql' }] },
);
export type ConnectorCreate = Static<typeof ConnectorCreate>;

const connectorDraft: Draft<ConnectorCreate> = ({ name }) => ({
  name: name('Connector'),
  type: 'postgresql',
  status: 'active',
  config: {},
});

export const connectorResource = resource({
  entityType: 'connector',
  name: 'connectors',
  path: 'connectors',
  tag: 'Connectors',
  noun: 'connector',
  nouns: 'connectors',
  writeRole: 'editor',
  softDelete: false,
  record: Connector,
  create: ConnectorCreate,
  draft: connectorDraft,
  changes,
  page: { usual: 50, maximum: 100 },
  order: newestFirst,
  search: ['name'],
  filters: {},
  queries: {},
  unique: { name: 'duplicate_name' },
  references: {},
  files: { leftOut: 'Credentials belong to one installation.' },
  removal: deleted,
  errors: { delete: ['in_use'] },
});

export const connectorOperations = recordOperations(connectorResource);
