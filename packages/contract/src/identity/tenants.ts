import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, Name, Nullable, Timestamp } from '../core/schemas.ts';

/** The caller's tenant (docs/design/api-access.md 5.3). */
export const Tenant = Type.Object(
  {
    id: Id('ID of the tenant.'),
    name: Type.String({ description: 'Display name. Has no effect on isolation or routing.' }),
    isPlayground: Type.Boolean({ description: 'True for a playground, which has a decision quota.' }),
    timezone: Type.String({ description: "IANA time zone of the tenant's days and schedules (a tenant setting)." }),
    createdAt: Timestamp('When the tenant was created.'),
  },
  { description: 'A tenant.' },
);
export type Tenant = Static<typeof Tenant>;

export const TenantUpdate = Type.Object(
  { name: Name('New display name.', 100) },
  { description: 'Changes to a tenant.', examples: [{ name: 'Acme' }] },
);
export type TenantUpdate = Static<typeof TenantUpdate>;

const Quota = (description: string) => Nullable(Type.Integer({ minimum: 0 }), { description });

/** A tenant's state for the console (docs/design/api-access.md 5.3). */
export const TenantStatus = Type.Object(
  {
    tenantId: Id('ID of the tenant.'),
    isPlayground: Type.Boolean({ description: 'True for a playground tenant.' }),
    isDemoMode: Type.Boolean({ description: 'True if the server runs with DEMO_MODE.' }),
    hasData: Type.Boolean({ description: 'True if the tenant has any offer or schema.' }),
    quotaUsed: Quota('Decisions used; null for normal tenants.'),
    quotaLimit: Quota('Total decisions a playground can use; null for normal tenants.'),
    quotaRemaining: Quota('Decisions remaining; null for normal tenants.'),
    quotaExceeded: Nullable(Type.Boolean(), { description: 'True if none remain; null for normal tenants.' }),
  },
  { description: 'State of the tenant.' },
);
export type TenantStatus = Static<typeof TenantStatus>;

/**
 * A reset deletes everything, so it must be confirmed explicitly. The handler checks `confirm`: anything but `true` is
 * `confirmation_mismatch` (docs/design/api-access.md 2).
 */
export const TenantReset = Type.Object(
  { confirm: Type.Optional(Type.Unsafe<boolean>({ description: 'Required. Must be true.' })) },
  { description: 'Confirmation.', examples: [{ confirm: true }] },
);

const shared = { tag: 'Tenant', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;

export const tenantOperations = {
  get: operation({
    ...shared,
    id: 'tenant.get',
    method: 'GET',
    path: '/api/v1/tenant',
    summary: 'Get your tenant',
    role: 'viewer',
    responses: { 200: { description: 'The tenant.', schema: Tenant } },
    errors: [],
    audit: [],
  }),
  update: operation({
    ...shared,
    id: 'tenant.update',
    method: 'PUT',
    path: '/api/v1/tenant',
    summary: 'Rename your tenant',
    role: 'admin',
    body: TenantUpdate,
    record: Tenant,
    responses: { 200: { description: 'The tenant.', schema: Tenant } },
    errors: [],
    audit: [{ action: 'update', entityType: 'tenant' }],
  }),
  reset: operation({
    ...shared,
    id: 'tenant.reset',
    method: 'POST',
    path: '/api/v1/tenant/reset',
    summary: 'Reset a playground',
    description:
      'Deletes everything the playground contains, except users, keys, clients, single sign-on, settings, the audit log and the system outcome types. Sets the decision counter to 0.',
    role: 'admin',
    loadClass: 'heavy',
    body: TenantReset,
    responses: {
      200: {
        description: 'The playground was reset.',
        schema: Type.Object(
          { message: Type.String({ description: 'What was done, as a sentence.' }) },
          { description: 'Result of the reset.' },
        ),
      },
    },
    errors: ['confirmation_mismatch', 'not_playground'],
    changesCatalogue: true,
    audit: [{ action: 'reset', entityType: 'tenant' }],
    transaction: 'own',
  }),
  status: operation({
    ...shared,
    id: 'tenant.status',
    method: 'GET',
    path: '/api/v1/tenant/status',
    summary: 'Get the state and quota of the tenant',
    role: 'viewer',
    responses: { 200: { description: 'The state.', schema: TenantStatus } },
    errors: [],
    audit: [],
  }),
} as const;
