/**
 * Attributes of SCIM users (RFC 7643 sections 3.1, 4.1, 4.3), described once: the document at /Schemas, the schemas of
 * bodies and answers, what's stored of a body and the paths of a PATCH are derived from these values.
 */

export const scimUserSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const scimEnterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** One attribute, in the terms of RFC 7643 section 7. */
export interface ScimAttribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'reference' | 'binary' | 'complex';
  readonly multiValued?: true;
  readonly description: string;
  readonly subAttributes?: readonly ScimAttribute[];
  /** Words that clients usually send; others are accepted too. */
  readonly canonicalValues?: readonly string[];
  readonly mutability?: 'readOnly' | 'writeOnly';
  readonly uniqueness?: 'server';
  /** Characters at most; default 1,024. */
  readonly maxLength?: number;
}

const text = (name: string, description: string, more: Partial<ScimAttribute> = {}): ScimAttribute => ({
  name,
  type: 'string',
  description,
  ...more,
});

/** A list of values, each with a kind and a place for the preferred one. */
function list(
  name: string,
  description: string,
  more: {
    readonly value?: Partial<ScimAttribute>;
    readonly kinds?: readonly string[];
    readonly instead?: readonly ScimAttribute[];
  } = {},
): ScimAttribute {
  const type = text('type', 'Type of the value.', more.kinds === undefined ? {} : { canonicalValues: more.kinds });
  const own = more.instead ?? [text('value', 'The value.', more.value), text('display', 'Display form of the value.')];
  const primary: ScimAttribute = {
    name: 'primary',
    type: 'boolean',
    description: 'True for the preferred value, at most one.',
  };
  return { name, type: 'complex', multiValued: true, description, subAttributes: [...own, type, primary] };
}

/** Core attributes of a user, in the order in which answers show them. */
export const scimUserAttributes: readonly ScimAttribute[] = [
  text(
    'userName',
    'User name of the account, usually an email address. Unique in the tenant; letter case is ignored.',
    {
      uniqueness: 'server',
      maxLength: 255,
    },
  ),
  {
    name: 'name',
    type: 'complex',
    description: 'Parts of the name.',
    subAttributes: [
      text('formatted', 'Full name.'),
      text('familyName', 'Family name.', { maxLength: 255 }),
      text('givenName', 'Given name.', { maxLength: 255 }),
      text('middleName', 'Middle names.'),
      text('honorificPrefix', 'Title before the name.'),
      text('honorificSuffix', 'Suffix after the name.'),
    ],
  },
  text('displayName', 'Display name. Default: derived from the parts of the name, otherwise userName.', {
    maxLength: 255,
  }),
  text('nickName', 'Casual name.'),
  { name: 'profileUrl', type: 'reference', description: 'URL of a page about the person.', maxLength: 8192 },
  text('title', 'Job title.'),
  text('userType', 'Relation to the organization, such as Employee.'),
  text('preferredLanguage', 'Language as in Accept-Language.'),
  text('locale', 'Locale, such as en-US.'),
  text('timezone', 'IANA name of the time zone.'),
  {
    name: 'active',
    type: 'boolean',
    description: "False for a deactivated user, who can't sign in and has no sessions.",
  },
  text('password', 'Accepted and ignored: users set their own password.', { mutability: 'writeOnly' }),
  list('emails', 'Email addresses. Email is sent to the primary one.', { kinds: ['work', 'home', 'other'] }),
  list('phoneNumbers', 'Telephone numbers.', { kinds: ['work', 'home', 'mobile', 'fax', 'pager', 'other'] }),
  list('ims', 'Instant messaging addresses.'),
  list('photos', 'URLs of photos.', {
    value: { type: 'reference', maxLength: 8192 },
    kinds: ['photo', 'thumbnail'],
  }),
  list('addresses', 'Postal addresses.', {
    kinds: ['work', 'home', 'other'],
    instead: [
      text('formatted', 'Formatted address.'),
      text('streetAddress', 'Street and number.'),
      text('locality', 'City.'),
      text('region', 'State or region.'),
      text('postalCode', 'Postal code.'),
      text('country', 'Country, ISO 3166-1.'),
    ],
  }),
  list('entitlements', 'Entitlements in other systems. Stored as sent.'),
  list('roles', "Roles in other systems. Stored as sent; they don't affect the role in Arbiter."),
  list('x509Certificates', 'Certificates.', { value: { type: 'binary', maxLength: 16384 } }),
];

/** Attributes of the enterprise extension. */
export const scimEnterpriseAttributes: readonly ScimAttribute[] = [
  text('employeeNumber', 'Employee number.'),
  text('costCenter', 'Cost center.'),
  text('organization', 'Organization.'),
  text('division', 'Division.'),
  text('department', 'Department.'),
  {
    name: 'manager',
    type: 'complex',
    description: "The person's manager.",
    subAttributes: [
      text('value', 'ID of the manager.'),
      { name: '$ref', type: 'reference', description: 'URL of the manager.' },
      text('displayName', 'Name of the manager.'),
    ],
  },
];

/** Attributes that every resource has besides its own (RFC 7643 section 3.1). */
export const scimCommonAttributes: readonly ScimAttribute[] = [
  text('id', 'ID of the user in Arbiter.', { mutability: 'readOnly', uniqueness: 'server' }),
  text('externalId', 'ID of the user in the provisioning directory.', { maxLength: 255 }),
];

/** Items that a list of values may have. */
export const scimMaxValues = 100;
export const scimUsualLength = 1024;
