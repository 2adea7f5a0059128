import Type, { type TSchema } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, IdText, Nullable, Timestamp } from '../core/schemas.ts';
import {
  type ScimAttribute,
  scimEnterpriseAttributes,
  scimEnterpriseSchema,
  scimMaxValues,
  scimUserAttributes,
  scimUserSchema,
  scimUsualLength,
} from './scim-attributes.ts';

export * from './scim-attributes.ts';

/** SCIM 2.0 (docs/design/api-access.md 4.4 and 22; RFC 7643, 7644). */

export const scimListSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const scimPatchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const scimBase = '/api/v1/scim/v2';

const mediaType = 'application/scim+json';

type Properties = Record<string, TSchema>;

/** Clients also write the two as texts (Entra ID does). */
const SentBoolean = (description: string) =>
  Type.Union([Type.Boolean(), Type.String({ pattern: '^([Tt]rue|[Ff]alse)$' })], { description });

function oneValue(attribute: ScimAttribute, isInput: boolean): TSchema {
  const { type, description, subAttributes = [], maxLength = scimUsualLength } = attribute;
  if (type === 'boolean') return isInput ? SentBoolean(description) : Type.Boolean({ description });
  if (type !== 'complex') return Type.String(isInput ? { description, maxLength } : { description });
  const whole = Type.Object(propertiesOf(subAttributes, isInput), { description });
  const main = subAttributes.find(({ name }) => name === 'value');
  if (!isInput || main === undefined) return whole;
  // Clients also send the main value alone: `manager: "<id>"`, `roles: ["admin"]`.
  return Type.Union([whole, Type.String({ maxLength: main.maxLength ?? scimUsualLength })], { description });
}

function propertiesOf(attributes: readonly ScimAttribute[], isInput: boolean): Properties {
  const properties: Properties = {};
  for (const attribute of attributes) {
    if (!isInput && attribute.mutability === 'writeOnly') continue;
    const { name, description, multiValued } = attribute;
    const one = oneValue(attribute, isInput);
    const value =
      multiValued === true ? Type.Array(one, { description, ...(isInput ? { maxItems: scimMaxValues } : {}) }) : one;
    properties[name] = Type.Optional(isInput ? Nullable(value, { description }) : value);
  }
  return properties;
}

const Schemas = (description: string) => Type.Array(Type.String({ description: 'URN of a schema.' }), { description });

/** A user as a client sends it. Names are case-insensitive (RFC 7643 section 2.1). */
export const ScimUserInput = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    {
      schemas: Type.Optional(Schemas('Schemas the body uses.')),
      externalId: Type.Optional(
        Nullable(Type.String({ maxLength: 255 }), {
          description: 'ID of the user in the provisioning directory.',
        }),
      ),
      ...propertiesOf(scimUserAttributes, true),
      [scimEnterpriseSchema]: Type.Optional(
        Nullable(Type.Object(propertiesOf(scimEnterpriseAttributes, true)), {
          description: 'Attributes of the enterprise extension.',
        }),
      ),
    },
    {
      additionalProperties: true,
      description: 'A user. Attributes that are not listed are dropped; null means not set.',
      examples: [
        {
          schemas: [scimUserSchema],
          externalId: '00u1',
          userName: 'mary@example.com',
          name: { givenName: 'Mary', familyName: 'Smith' },
          emails: [{ value: 'mary@example.com', type: 'work', primary: true }],
          active: true,
        },
      ],
    },
  ),
);

/** A user as answers show it. */
export interface ScimUser extends Readonly<Record<string, unknown>> {
  readonly schemas: readonly string[];
  readonly id: string;
  readonly userName: string;
  readonly active: boolean;
  readonly meta: {
    readonly resourceType: 'User';
    readonly created: string;
    readonly lastModified: string;
    readonly location: string;
  };
}

const userProperties = {
  schemas: Schemas('Schemas the resource uses.'),
  id: Id('ID of the user.'),
  externalId: Type.Optional(Type.String({ description: 'ID of the user in the provisioning directory.' })),
  ...propertiesOf(scimUserAttributes, false),
  [scimEnterpriseSchema]: Type.Optional(
    Type.Object(propertiesOf(scimEnterpriseAttributes, false), {
      description: 'Attributes of the enterprise extension.',
    }),
  ),
  meta: Type.Optional(
    Type.Object(
      {
        resourceType: Type.String({ description: 'Always `User`.' }),
        created: Timestamp('When the user was created.'),
        lastModified: Timestamp('When the user last changed.'),
        location: Type.String({ description: 'Email address of the user.' }),
      },
      { description: 'Metadata of the resource.' },
    ),
  ),
};

/** `attributes` and `excludedAttributes` may leave out everything but `schemas` and `id`. */
export const ScimUser = Type.Unsafe<Partial<ScimUser> & Pick<ScimUser, 'schemas' | 'id'>>(
  Type.Object(userProperties, { description: 'A user.' }),
);

function listOf<T extends TSchema>(items: T, what: string) {
  return Type.Object(
    {
      schemas: Schemas(`Always \`${scimListSchema}\`.`),
      totalResults: Type.Integer({ minimum: 0, description: `Total number of ${what}.` }),
      startIndex: Type.Integer({ minimum: 1, description: `Index of the first result on this page, from 1.` }),
      itemsPerPage: Type.Integer({ minimum: 0, description: 'Number of results on this page.' }),
      Resources: Type.Array(items, { description: `The ${what} on this page.` }),
    },
    { description: `A page of ${what}.` },
  );
}

/** The operations of a PATCH, in order, all or nothing (RFC 7644 section 3.5.2). */
export const ScimPatch = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    {
      schemas: Type.Optional(Schemas(`\`${scimPatchSchema}\`.`)),
      Operations: Type.Optional(
        Type.Array(
          Type.Object(
            {
              op: Type.Optional(
                Type.String({ maxLength: 16, description: '`add`, `replace` or `remove`, in any letter case.' }),
              ),
              path: Type.Optional(
                Nullable(Type.String({ maxLength: 1024 }), {
                  description:
                    'Attribute to change, such as `active` or `emails[type eq "work"].value`. Without it, the value contains the attributes.',
                }),
              ),
              value: Type.Optional(Type.Unknown({ description: 'The new value.' })),
            },
            { additionalProperties: true, description: 'One change.' },
          ),
          { maxItems: 1000, description: 'Changes in order.' },
        ),
      ),
    },
    {
      additionalProperties: true,
      description: 'Changes to a user.',
      examples: [{ schemas: [scimPatchSchema], Operations: [{ op: 'replace', path: 'active', value: false }] }],
    },
  ),
);

const Supported = (description: string) =>
  Type.Object({ supported: Type.Boolean({ description: 'Whether it is supported.' }) }, { description });

export const ScimServiceProviderConfig = Type.Object(
  {
    schemas: Schemas('Schema of the document.'),
    documentationUri: Type.String({ description: 'URL of the API documentation.' }),
    patch: Supported('PATCH.'),
    bulk: Type.Object(
      {
        supported: Type.Boolean({ description: 'Whether it is supported.' }),
        maxOperations: Type.Integer({ description: 'Maximum changes per call.' }),
        maxPayloadSize: Type.Integer({ description: 'Maximum bytes per call.' }),
      },
      { description: 'Support for bulk operations.' },
    ),
    filter: Type.Object(
      {
        supported: Type.Boolean({ description: 'Whether it is supported.' }),
        maxResults: Type.Integer({ description: 'Maximum resources per response.' }),
      },
      { description: 'Support for filters.' },
    ),
    changePassword: Supported('Support for changing passwords.'),
    sort: Supported('Support for sorting.'),
    etag: Supported('Support for resource versions.'),
    authenticationSchemes: Type.Array(
      Type.Object(
        {
          type: Type.String({ description: 'Type of authentication.' }),
          name: Type.String({ description: 'Name of the scheme.' }),
          description: Type.String({ description: 'Description of the scheme.' }),
          specUri: Type.String({ description: 'URL of its documentation.' }),
          primary: Type.Boolean({ description: 'True for the preferred one.' }),
        },
        { description: 'An authentication scheme.' },
      ),
      { description: 'Supported authentication schemes.' },
    ),
    meta: Type.Object(
      {
        resourceType: Type.String({ description: 'Type of the document.' }),
        location: Type.String({ description: 'URL of the document.' }),
      },
      { description: 'Metadata of the document.' },
    ),
  },
  { description: 'Features of this SCIM server (RFC 7643 section 5).' },
);

const Document = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    { id: Type.String({ description: 'Name of the resource type or URN of the schema.' }) },
    { additionalProperties: true, description: 'A document of RFC 7643.' },
  ),
);

const shared = {
  tag: 'SCIM',
  auth: 'scim',
  role: null,
  errorFormat: 'scim',
  bodyKind: 'scim',
  loadClass: 'crud',
  rateLimits: [{ limit: 600, windowSeconds: 60, per: 'tenant', bucket: 'scim' }],
} as const;

const read = (entityType: string) => [{ action: 'read', entityType }] as const;
const answer = <S extends TSchema>(schema: S, description: string) => ({ description, schema, mediaType }) as const;

const params = Type.Object({ id: IdText('ID of the user.') }, { description: 'User to use.' });
const chosen = {
  attributes: Type.Optional(
    Type.String({ maxLength: 4096, description: 'Attributes to return, separated by commas. id is always returned.' }),
  ),
  excludedAttributes: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: "Attributes to omit, separated by commas. Can't be combined with `attributes`.",
    }),
  ),
};
const chosenQuery = Type.Object(chosen, { description: 'Attributes to return.' });
const page = {
  startIndex: Type.Optional(
    Type.Integer({ default: 1, description: 'Index of the first result, from 1. Smaller values are treated as 1.' }),
  ),
  count: Type.Optional(Type.Integer({ default: 100, description: 'Maximum results, limited to 1 to 200.' })),
};

export const scimOperations = {
  listUsers: operation({
    ...shared,
    id: 'scim.listUsers',
    method: 'GET',
    path: '/api/v1/scim/v2/Users',
    summary: 'List the users, oldest first',
    query: Type.Object(
      {
        ...page,
        filter: Type.Optional(
          Type.String({
            maxLength: 4096,
            description:
              'Supports eq, sw and co on userName, displayName, externalId, id, emails, emails.value and active, ' +
              'combined with and. Any other filter returns 400 invalidFilter.',
          }),
        ),
        ...chosen,
      },
      { description: 'Page, filter and attributes.' },
    ),
    responses: { 200: answer(listOf(ScimUser, 'users'), 'A page of users.') },
    errors: [],
    audit: read('user'),
    transaction: 'tenant',
  }),
  createUser: operation({
    ...shared,
    id: 'scim.createUser',
    method: 'POST',
    path: '/api/v1/scim/v2/Users',
    summary: 'Create a user with the role member',
    query: chosenQuery,
    body: ScimUserInput,
    responses: { 201: answer(ScimUser, 'The user. The Location header has its URL.') },
    errors: ['duplicate_email'],
    audit: [{ action: 'create', entityType: 'user' }],
    transaction: 'tenant',
  }),
  getUser: operation({
    ...shared,
    id: 'scim.getUser',
    method: 'GET',
    path: '/api/v1/scim/v2/Users/{id}',
    summary: 'Get a user',
    params,
    query: chosenQuery,
    responses: { 200: answer(ScimUser, 'The user.') },
    errors: ['not_found'],
    audit: read('user'),
    transaction: 'tenant',
  }),
  replaceUser: operation({
    ...shared,
    id: 'scim.replaceUser',
    method: 'PUT',
    path: '/api/v1/scim/v2/Users/{id}',
    summary: 'Replace attributes of a user',
    description: 'Omitted attributes are kept, except active, which defaults to true.',
    params,
    query: chosenQuery,
    body: ScimUserInput,
    responses: { 200: answer(ScimUser, 'The user.') },
    errors: ['not_found', 'duplicate_email'],
    audit: [{ action: 'update', entityType: 'user' }],
    transaction: 'tenant',
  }),
  patchUser: operation({
    ...shared,
    id: 'scim.patchUser',
    method: 'PATCH',
    path: '/api/v1/scim/v2/Users/{id}',
    summary: 'Update attributes of a user',
    params,
    query: chosenQuery,
    body: ScimPatch,
    responses: { 200: answer(ScimUser, 'The user.') },
    errors: ['not_found', 'duplicate_email'],
    audit: [{ action: 'update', entityType: 'user' }],
    transaction: 'tenant',
  }),
  deleteUser: operation({
    ...shared,
    id: 'scim.deleteUser',
    method: 'DELETE',
    path: '/api/v1/scim/v2/Users/{id}',
    summary: 'Deactivate a user',
    description: 'The user can still be read, with active false. Repeating the call has no further effect.',
    params,
    responses: { 204: { description: 'Deactivated.', schema: null } },
    errors: ['not_found'],
    audit: [{ action: 'update', entityType: 'user' }],
    transaction: 'tenant',
  }),
  listGroups: operation({
    ...shared,
    id: 'scim.listGroups',
    method: 'GET',
    path: '/api/v1/scim/v2/Groups',
    summary: 'List groups; always empty',
    query: Type.Object(page, { description: 'Page.' }),
    responses: { 200: answer(listOf(Document, 'groups'), 'An empty list.') },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
  serviceProviderConfig: operation({
    ...shared,
    id: 'scim.serviceProviderConfig',
    method: 'GET',
    path: '/api/v1/scim/v2/ServiceProviderConfig',
    summary: 'Get the features of this SCIM server',
    responses: { 200: answer(ScimServiceProviderConfig, 'Supported features.') },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
  listResourceTypes: operation({
    ...shared,
    id: 'scim.listResourceTypes',
    method: 'GET',
    path: '/api/v1/scim/v2/ResourceTypes',
    summary: 'List resource types',
    responses: { 200: answer(listOf(Document, 'resource types'), 'The resource types.') },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
  getResourceType: operation({
    ...shared,
    id: 'scim.getResourceType',
    method: 'GET',
    path: '/api/v1/scim/v2/ResourceTypes/{id}',
    summary: 'Get a resource type',
    params: Type.Object({ id: IdText('Name of the resource type.') }, { description: 'Resource type to read.' }),
    responses: { 200: answer(Document, 'The resource type.') },
    errors: ['not_found'],
    audit: [],
    transaction: 'none',
  }),
  listSchemas: operation({
    ...shared,
    id: 'scim.listSchemas',
    method: 'GET',
    path: '/api/v1/scim/v2/Schemas',
    summary: 'List the schemas',
    responses: { 200: answer(listOf(Document, 'schemas'), 'The schemas.') },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
  getSchema: operation({
    ...shared,
    id: 'scim.getSchema',
    method: 'GET',
    path: '/api/v1/scim/v2/Schemas/{id}',
    summary: 'Get a schema',
    params: Type.Object({ id: IdText('URN of the schema.') }, { description: 'SCIM schema to read.' }),
    responses: { 200: answer(Document, 'The schema.') },
    errors: ['not_found'],
    audit: [],
    transaction: 'none',
  }),
} as const;
