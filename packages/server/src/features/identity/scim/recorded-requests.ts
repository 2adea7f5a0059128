/**
 * Bodies as the provisioning services of Okta and Microsoft Entra ID send them, by their public documentation
 * (https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20, https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups).
 */

const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

export const okta = {
  create: {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: 'test.user@okta.local',
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  },
  deactivate: {
    schemas: [patchSchema],
    Operations: [{ op: 'replace', value: { active: false } }],
  },
} as const;

/** `accountEnabled`, mail and names as Entra ID maps them, with its own spelling of operations and truth values. */
export const entra = {
  create: {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
    active: true,
    emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.com' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    roles: [],
    [enterprise]: { department: 'bob', manager: 'Suzzy' },
  },
  deactivate: {
    schemas: [patchSchema],
    Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
  },
  reactivate: {
    schemas: [patchSchema],
    Operations: [{ op: 'Replace', path: 'active', value: 'True' }],
  },
  update: {
    schemas: [patchSchema],
    Operations: [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+49 170 1' },
      { op: 'Add', path: `${enterprise}:manager`, value: 'b4f6' },
      { op: 'Remove', path: `${enterprise}:department` },
    ],
  },
  updateWithoutPath: {
    schemas: [patchSchema],
    Operations: [
      {
        op: 'add',
        value: {
          displayName: 'Bjfe',
          'name.givenName': 'Kacey',
          'addresses[type eq "work"].locality': 'Berlin',
          [`${enterprise}:employeeNumber`]: '42',
        },
      },
    ],
  },
} as const;
