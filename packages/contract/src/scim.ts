import Type, { type TSchema } from 'typebox';
import { operation } from './core/operation.ts';
import { Id, IdText, Nullable, Timestamp } from './core/schemas.ts';
import {
  type ScimAttribute,
  scimEnterpriseAttributes,
  scimEnterpriseSchema,
  scimMostValues,
  scimUserAttributes,
  scimUserSchema,
  scimUsualLength,
} from './scim-attributes.ts';

export * from './scim-attributes.ts';

/** SCIM 2.0 (contract part 1, 4.5; docs/design/api-access.md 4.4 and 22; RFC 7643, 7644). */

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
      multiValued === true ? Type.Array(one, { description, ...(isInput ? { maxItems: scimMostValues } : {}) }) : one;
    properties[name] = Type.Optional(isInput ? Nullable(value, { description }) : value);
  }
  return properties;
}

const Schemas = (description: string) => Type.Array(Type.String({ description: 'URN of a schema.' }), { description });

/** What a client sends of a user. Names are compared without regard to letter case (RFC 7643 section 2.1). */
export const ScimUserInput = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    {
      schemas: Type.Optional(Schemas('The schemas that the body uses.')),
      externalId: Type.Optional(
        Nullable(Type.String({ maxLength: 255 }), {
          description: 'Id of the person in the directory that provisions.',
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
  schemas: Schemas('The schemas that the resource uses.'),
  id: Id('Id of the user.'),
  externalId: Type.Optional(Type.String({ description: 'Id of the person in the directory that provisions.' })),
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
        created: Timestamp('When the user was made.'),
        lastModified: Timestamp('When the user last changed.'),
        location: Type.String({ description: 'Address of the user.' }),
      },
      { description: 'Of the resource itself.' },
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
      totalResults: Type.Integer({ minimum: 0, description: `How many ${what} there are in all.` }),
      startIndex: Type.Integer({ minimum: 1, description: 'Place of the first one of this page, from 1.' }),
      itemsPerPage: Type.Integer({ minimum: 0, description: 'How many this page has.' }),
      Resources: Type.Array(items, { description: `The ${what} of this page.` }),
    },
    { description: `A page of ${what}.` },
  );
}

/** What a PATCH does, one after the other, all or nothing (RFC 7644 section 3.5.2). */
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
                    'What is changed, such as `active` or `emails[type eq "work"].value`; without it the value names it.',
                }),
              ),
              value: Type.Optional(Type.Unknown({ description: 'The new value.' })),
            },
            { additionalProperties: true, description: 'One change.' },
          ),
          { maxItems: 1000, description: 'The changes, in their order.' },
        ),
      ),
    },
    {
      additionalProperties: true,
      description: 'Changes of a user.',
      examples: [{ schemas: [scimPatchSchema], Operations: [{ op: 'replace', path: 'active', value: false }] }],
    },
  ),
);

const Supported = (description: string) =>
  Type.Object({ supported: Type.Boolean({ description: 'Whether it is there.' }) }, { description });

export const ScimServiceProviderConfig = Type.Object(
  {
    schemas: Schemas('Schema of the document.'),
    documentationUri: Type.String({ description: 'Where the API is described.' }),
    patch: Supported('PATCH.'),
    bulk: Type.Object(
      {
        supported: Type.Boolean({ description: 'Whether it is there.' }),
        maxOperations: Type.Integer({ description: 'Changes in one call.' }),
        maxPayloadSize: Type.Integer({ description: 'Bytes of one call.' }),
      },
      { description: 'Many changes in one call.' },
    ),
    filter: Type.Object(
      {
        supported: Type.Boolean({ description: 'Whether it is there.' }),
        maxResults: Type.Integer({ description: 'Resources in one answer at most.' }),
      },
      { description: 'Filters of lists.' },
    ),
    changePassword: Supported('Setting passwords.'),
    sort: Supported('Sorted lists.'),
    etag: Supported('Versions of resources.'),
    authenticationSchemes: Type.Array(
      Type.Object(
        {
          type: Type.String({ description: 'Kind of credential.' }),
          name: Type.String({ description: 'Its name.' }),
          description: Type.String({ description: 'What it is.' }),
          specUri: Type.String({ description: 'Where it is described.' }),
          primary: Type.Boolean({ description: 'True for the preferred one.' }),
        },
        { description: 'A kind of credential.' },
      ),
      { description: 'How callers prove who they are.' },
    ),
    meta: Type.Object(
      {
        resourceType: Type.String({ description: 'Kind of document.' }),
        location: Type.String({ description: 'Address of the document.' }),
      },
      { description: 'Of the document itself.' },
    ),
  },
  { description: 'What this SCIM server can do (RFC 7643 section 5).' },
);

const Document = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    { id: Type.String({ description: 'Name of the kind or URN of the schema.' }) },
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

const params = Type.Object({ id: IdText('Id of the user.') }, { description: 'Which user.' });
const chosen = {
  attributes: Type.Optional(
    Type.String({ maxLength: 4096, description: 'Attributes to show, separated by commas; id is always shown.' }),
  ),
  excludedAttributes: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: 'Attributes to leave out, separated by commas; not beside attributes.',
    }),
  ),
};
const chosenQuery = Type.Object(chosen, { description: 'What to show.' });
const page = {
  startIndex: Type.Optional(
    Type.Integer({ default: 1, description: 'Place of the first one, from 1; less counts as 1.' }),
  ),
  count: Type.Optional(Type.Integer({ default: 100, description: 'How many at most; brought between 1 and 200.' })),
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
              'Comparisons by eq, sw and co of userName, displayName, externalId, id, emails, emails.value and active, ' +
              'joined by and. Any other filter is 400 invalidFilter.',
          }),
        ),
        ...chosen,
      },
      { description: 'Page, filter, and what to show.' },
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
    summary: 'Make a user with the role member',
    query: chosenQuery,
    body: ScimUserInput,
    responses: { 201: answer(ScimUser, 'The user; Location says its address.') },
    errors: ['duplicate_email'],
    audit: [{ action: 'create', entityType: 'user' }],
    transaction: 'tenant',
  }),
  getUser: operation({
    ...shared,
    id: 'scim.getUser',
    method: 'GET',
    path: '/api/v1/scim/v2/Users/{id}',
    summary: 'Read one user',
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
    description: 'An attribute that is left out is kept, but for active, which then counts as true.',
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
    summary: 'Change attributes of a user',
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
    description: 'The user stays readable, with active false. Repeatable.',
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
    summary: 'List the groups: there are none',
    query: Type.Object(page, { description: 'Page.' }),
    responses: { 200: answer(listOf(Document, 'groups'), 'A list without groups.') },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
  serviceProviderConfig: operation({
    ...shared,
    id: 'scim.serviceProviderConfig',
    method: 'GET',
    path: '/api/v1/scim/v2/ServiceProviderConfig',
    summary: 'Read what this SCIM server can do',
    responses: { 200: answer(ScimServiceProviderConfig, 'What it can do.') },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
  listResourceTypes: operation({
    ...shared,
    id: 'scim.listResourceTypes',
    method: 'GET',
    path: '/api/v1/scim/v2/ResourceTypes',
    summary: 'List the kinds of resources',
    responses: { 200: answer(listOf(Document, 'kinds of resources'), 'The kinds.') },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
  getResourceType: operation({
    ...shared,
    id: 'scim.getResourceType',
    method: 'GET',
    path: '/api/v1/scim/v2/ResourceTypes/{id}',
    summary: 'Read one kind of resource',
    params: Type.Object({ id: IdText('Name of the kind.') }, { description: 'Which kind.' }),
    responses: { 200: answer(Document, 'The kind.') },
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
    summary: 'Read one schema',
    params: Type.Object({ id: IdText('URN of the schema.') }, { description: 'Which schema.' }),
    responses: { 200: answer(Document, 'The schema.') },
    errors: ['not_found'],
    audit: [],
    transaction: 'none',
  }),
} as const;
