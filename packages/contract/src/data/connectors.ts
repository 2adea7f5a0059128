import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { Id, IdText, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { connectorFieldTypes } from './connector-fields.ts';
import { connectorTypeNames } from './connector-types.ts';
import {
  connectorAuthMethods,
  connectorCategories,
  connectorProbes,
  connectorReasons,
  connectorStatuses,
  connectorTypeStatuses,
} from './connector-words.ts';

// Connectors (docs/design/api-catalogue.md 14 and 20).

const typeWord = StringEnum(connectorTypeNames, { description: 'Type: a word of `GET /api/v1/connectors/types`.' });
const category = StringEnum(connectorCategories, { description: 'Category of the type.' });
const typeStatus = StringEnum(connectorTypeStatuses, {
  description: 'Whether the type can be used. Runs that read a type that is `coming_soon` read no rows.',
});

const shared = {
  name: Name('Name. Unique among connectors.'),
  description: Type.String({ maxLength: 2000, description: 'What the connector is for.' }),
  config: JsonObject(
    'Settings of the type, which `GET /api/v1/connectors/types` lists. Secrets found here move to `authConfig`: keys ' +
      'such as `apiKey` and `password` at any depth, all `headers`, and the user in a URL. Required settings are ' +
      'checked by tests and runs.',
  ),
  authMethod: StringEnum(connectorAuthMethods, {
    description:
      "One of the type's `authMethods`. Default `access_key`, which means the type's default method if it has no access keys.",
  }),
  status: StringEnum(connectorStatuses, {
    description: 'Tests set `active` or `error`. Nothing reads from an `inactive` connector. Default active.',
  }),
};

/** A connection to a source of data. */
export const Connector = Type.Object(
  {
    id: Id('ID of the connector.'),
    tenantId: Id('Tenant.'),
    ...shared,
    type: typeWord,
    category,
    typeStatus,
    hasAuth: Type.Boolean({ description: 'Whether credentials are stored. They are never returned.' }),
    authFields: Type.Array(Type.String({ description: 'Property of `authConfig`.' }), {
      description: 'Names of the stored credentials, in alphabetical order.',
    }),
    lastTestedAt: Nullable(Timestamp('Instant.'), { description: 'When it was last tested, or null.' }),
    lastError: Nullable(StringEnum(connectorReasons, { description: 'Reason.' }), {
      description: 'Why the last test failed, or null.',
    }),
    lastSyncAt: Nullable(Timestamp('Instant.'), { description: 'When rows were last read, or null.' }),
    lastSyncRowCount: Nullable(Type.Integer(), { description: 'How many rows were read then, or null.' }),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A connector.' },
);
export type Connector = Static<typeof Connector>;

const secrets = {
  connectionConfig: JsonObject('Same as `config`. Both are merged, and `config` wins.'),
  authConfig: JsonObject(
    'Credentials of the `authMethod`. Stored encrypted and never returned. Replaced as a whole; a value equal to its ' +
      'mask or to eight bullets keeps the stored one. Moving the connector to another host, or changing its type, ' +
      'deletes them.',
  ),
};

const writable = { ...shared, ...secrets, type: typeWord };
const changes = Type.Partial(Type.Object(writable)).properties;

export const ConnectorCreate = Type.Object(
  { ...changes, name: shared.name, type: typeWord },
  {
    description: 'A connector to create. Defaults to active, with the default authentication method of its type.',
    examples: [
      {
        name: 'Billing database',
        type: 'postgresql',
        config: { host: 'db.example.com', port: 5432, database: 'billing', sourceTable: 'public.accounts' },
        authMethod: 'basic',
        authConfig: { username: 'reader', password: 'a long password' },
      },
    ],
  },
);
export type ConnectorCreate = Static<typeof ConnectorCreate>;

const connectorDraft: Draft<ConnectorCreate> = ({ name, marker }) => ({
  name: name('Connector'),
  description: `Connector of ${marker}`,
  type: 'postgresql',
  config: { host: 'db.example.com', port: 5432, database: 'billing' },
  authMethod: 'basic',
  authConfig: { username: 'reader', password: 'a long password' },
  status: 'active',
});

/** Connectors, described once. */
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
  page: { usual: 20, maximum: 100 },
  order: newestFirst,
  search: ['name'],
  filters: { type: Type.Optional(typeWord), status: Type.Optional(shared.status) },
  queries: { category: Type.Optional(category) },
  unique: { name: 'duplicate_name' },
  references: {},
  removal: deleted,
  files: { without: ['connectionConfig'] },
  errors: { create: ['not_configured'], update: ['not_configured'] },
});

const FormField = Type.Object(
  {
    name: Type.String({ description: 'Key in `config` or `authConfig`.' }),
    label: Type.String({ description: 'Label.' }),
    in: StringEnum(['config', 'authConfig'], { description: 'Where the value goes.' }),
    type: StringEnum(connectorFieldTypes, { description: 'Kind of value.' }),
    required: Type.Boolean({
      description: 'Whether tests and runs need it. Of alternatives, which `requiredConfig` lists, none is required.',
    }),
    secret: Type.Boolean({ description: 'Whether it is a secret.' }),
    default: Nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
      description: 'Value if it is left out, or null.',
    }),
    options: Type.Array(Type.String(), { description: 'Values of a choice; else empty.' }),
    authMethods: Type.Array(StringEnum(connectorAuthMethods, { description: 'Method.' }), {
      description: 'Methods that take a value of `authConfig`; empty for `config`.',
    }),
  },
  { description: 'A field of a form.' },
);
export type ConnectorFormField = Static<typeof FormField>;

export const ConnectorTypeDescription = Type.Object(
  {
    type: typeWord,
    label: Type.String({ description: "The product's name." }),
    category,
    status: typeStatus,
    requiredConfig: Type.Array(
      Type.Union([Type.String(), Type.Array(Type.String())], { description: 'A key, or alternatives.' }),
      { description: 'Settings that tests and runs need. Of a list in the list, one.' },
    ),
    optionalConfig: Type.Array(Type.String(), { description: 'Other settings.' }),
    authMethods: Type.Array(StringEnum(connectorAuthMethods, { description: 'Method.' }), {
      description: 'Methods of authentication.',
    }),
    defaultAuthMethod: StringEnum(connectorAuthMethods, { description: 'Method if none is set.' }),
    fields: Type.Array(FormField, { description: 'Fields of the form.' }),
  },
  { description: 'A type of connectors.' },
);
export type ConnectorTypeDescription = Static<typeof ConnectorTypeDescription>;

const testFields = {
  success: Type.Boolean({ description: 'Whether the probe succeeded.' }),
  status: StringEnum(connectorStatuses, { description: 'Status of the connector after the test.' }),
  reason: StringEnum(connectorReasons, { description: 'What happened.' }),
  message: Type.String({ description: "What happened, in a sentence. Never the source's own text." }),
  probe: StringEnum(connectorProbes, { description: 'Kind of probe.' }),
  latencyMs: Type.Integer({ description: 'Duration of the probe in milliseconds.' }),
  testedAt: Timestamp('When it was tested.'),
  missing: Type.Array(Type.String(), { description: 'Missing settings; alternatives are joined by `|`.' }),
  details: Type.Object(
    {
      login: Type.Optional(
        StringEnum(['ok', 'failed', 'skipped'], {
          description: 'Whether signing in succeeded. Skipped without credentials.',
        }),
      ),
    },
    { description: 'More about the probe.' },
  ),
  rowCount: Type.Optional(Type.Integer({ description: 'Rows of the sample of a CSV file.' })),
  authConfig: JsonObject(
    'Stored credentials: first and last two characters around four bullets. Values under 12 characters, and values ' +
      'that are not text, show eight bullets.',
  ),
};

export const ConnectorTest = Type.Object(testFields, { description: 'Result of a test.' });
export type ConnectorTest = Static<typeof ConnectorTest>;

export const ConnectorPreview = Type.Object(
  {
    success: Type.Boolean({ description: 'True.' }),
    columns: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the column.' }),
          dataType: Type.String({ description: 'Narrowest type that fits its values.' }),
        },
        { description: 'A column.' },
      ),
      { description: 'Columns of the rows, in order.' },
    ),
    rows: Type.Array(JsonObject('A row.'), { description: 'First rows of the source.' }),
    rowCount: Type.Integer({ description: 'Number of rows.' }),
    truncated: Type.Boolean({ description: 'Whether the source has more.' }),
  },
  { description: 'First rows of a source.' },
);
export type ConnectorPreview = Static<typeof ConnectorPreview>;

const common = { tag: 'Connectors', auth: 'credential', loadClass: 'crud', audit: [] } as const;

/** Connectors, their types, and trying them. */
export const connectorOperations = {
  ...recordOperations(connectorResource),
  types: operation({
    ...common,
    id: 'connectors.types',
    method: 'GET',
    path: '/api/v1/connectors/types',
    summary: 'List types of connectors',
    description: 'Each type with its settings, its methods of authentication and the fields of its form.',
    role: 'viewer',
    transaction: 'none',
    responses: {
      200: {
        description: 'All types.',
        schema: Type.Object(
          {
            data: Type.Array(ConnectorTypeDescription, { description: 'Types.' }),
            total: Type.Integer({ description: 'Number of types.' }),
          },
          { description: 'Types of connectors.' },
        ),
      },
    },
    errors: [],
  }),
  test: operation({
    ...common,
    id: 'connectors.test',
    method: 'POST',
    path: '/api/v1/connectors/test',
    summary: 'Test a connector',
    description:
      'Checks the required settings and connects, for at most 5 seconds. Returns 200 whatever the outcome. Sets the ' +
      'status to `active` or `error`, unless the connector is inactive.',
    role: 'editor',
    transaction: 'own',
    changesCatalogue: true,
    rateLimits: [{ limit: 100, windowSeconds: 60, per: 'tenant' }],
    body: Type.Object(
      { id: Id('The connector to test.') },
      { description: 'The connector.', examples: [{ id: exampleId('connector') }] },
    ),
    responses: { 200: { description: 'The result.', schema: ConnectorTest } },
    errors: ['not_found', 'not_configured'],
    audit: [{ action: 'update', entityType: 'connector' }],
  }),
  preview: operation({
    ...common,
    id: 'connectors.preview',
    method: 'POST',
    path: '/api/v1/connectors/{id}/preview',
    summary: 'Read the first rows of a source',
    description: 'Reads nothing that a run would miss. If the source fails, returns the body of a failed test.',
    role: 'editor',
    transaction: 'own',
    params: Type.Object({ id: IdText('ID of the connector.') }, { description: 'The connector to use.' }),
    body: Type.Object(
      {
        source: Type.Optional(JsonObject("Settings of the read, over the connector's `config`.")),
        limit: Type.Optional(Int(1, 100, 'Number of rows. 1 to 100; default 20.')),
      },
      { description: 'What to read.', examples: [{ source: { sourceTable: 'public.accounts' }, limit: 20 }] },
    ),
    responses: {
      200: {
        description: 'Rows, or the reason why there are none.',
        schema: Type.Union([ConnectorPreview, ConnectorTest], { description: 'Rows, or a failed test.' }),
      },
    },
    errors: ['not_found', 'not_configured'],
  }),
};
