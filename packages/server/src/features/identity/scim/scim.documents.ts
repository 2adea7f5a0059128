import {
  type ScimAttribute,
  scimBase,
  scimEnterpriseAttributes,
  scimEnterpriseSchema,
  scimListSchema,
  scimUserAttributes,
  scimUserSchema,
} from '@arbiter/contract';

/** The documents by which a client learns what there is (RFC 7643 sections 5 to 7; RFC 7644 section 4). */

const configSchema = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const typeSchema = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const schemaSchema = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

export const serviceProviderConfig = (publicUrl: string) => ({
  schemas: [configSchema],
  documentationUri: `${publicUrl}/api/docs`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 200 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API key',
      description: 'An API key with the scope scim, sent as a bearer token.',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${publicUrl}${scimBase}/ServiceProviderConfig` },
});

type Document = Readonly<Record<string, unknown>> & { readonly id: string };

export const resourceTypes = (publicUrl: string): readonly Document[] => [
  {
    schemas: [typeSchema],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    description: 'A user of the tenant.',
    schema: scimUserSchema,
    schemaExtensions: [{ schema: scimEnterpriseSchema, required: false }],
    meta: { resourceType: 'ResourceType', location: `${publicUrl}${scimBase}/ResourceTypes/User` },
  },
];

/** An attribute with every characteristic that RFC 7643 section 7 names. */
function described(attribute: ScimAttribute): Readonly<Record<string, unknown>> {
  const { name, type, description, multiValued, canonicalValues, subAttributes, mutability, uniqueness } = attribute;
  return {
    name,
    type,
    multiValued: multiValued === true,
    description,
    required: name === 'userName',
    ...(canonicalValues === undefined ? {} : { canonicalValues }),
    ...(type === 'reference' ? { referenceTypes: ['external'] } : {}),
    ...(type === 'boolean' || type === 'complex' ? {} : { caseExact: type !== 'string' }),
    mutability: mutability ?? 'readWrite',
    returned: mutability === 'writeOnly' ? 'never' : 'default',
    uniqueness: uniqueness ?? 'none',
    ...(subAttributes === undefined ? {} : { subAttributes: subAttributes.map(described) }),
  };
}

export function schemaDocuments(publicUrl: string): readonly Document[] {
  const document = (id: string, name: string, description: string, attributes: readonly ScimAttribute[]): Document => ({
    schemas: [schemaSchema],
    id,
    name,
    description,
    attributes: attributes.map(described),
    meta: { resourceType: 'Schema', location: `${publicUrl}${scimBase}/Schemas/${id}` },
  });
  return [
    document(scimUserSchema, 'User', 'A user of the tenant.', scimUserAttributes),
    document(scimEnterpriseSchema, 'EnterpriseUser', 'Enterprise attributes of a user.', scimEnterpriseAttributes),
  ];
}

/** A list as RFC 7644 section 3.4.2 writes it. */
export function listOf<Resource>(
  resources: readonly Resource[],
  { total = resources.length, startIndex = 1 }: { readonly total?: number; readonly startIndex?: number } = {},
) {
  return {
    schemas: [scimListSchema],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  };
}
