import { apiKeyPattern, apiKeyScopes, type ErrorEntry, type TenantSettingsPatch } from '@arbiter/contract';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { readPatch } from '../../identity/settings/index.ts';

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' });
const closed = { additionalProperties: false } as const;

const BootstrapUser = Type.Object(
  {
    email: Type.String({ maxLength: 255, format: 'email' }),
    // Only a user who is just being unlocked may omit these three.
    password: Type.Optional(Type.String({ minLength: 8, maxLength: 128 })),
    name: Type.Optional(text(100)),
    role: Type.Optional(Type.Union([Type.Literal('admin'), Type.Literal('editor'), Type.Literal('viewer')])),
    // Ends a lock after wrong passwords (docs/design/api-access.md 22).
    unlock: Type.Optional(Type.Literal(true)),
    // Refused when there is a user with the address.
    isNew: Type.Optional(Type.Literal(true)),
  },
  closed,
);

const BootstrapApiKey = Type.Object(
  {
    name: text(120),
    key: Type.String({ pattern: apiKeyPattern }),
    scopes: Type.Optional(Type.Array(Type.Union(apiKeyScopes.map((scope) => Type.Literal(scope))), { minItems: 1 })),
    // Address of the user that the key acts for.
    user: Type.Optional(Type.String({ maxLength: 255, format: 'email' })),
  },
  closed,
);

const BootstrapTenant = Type.Object(
  {
    name: text(100),
    playground: Type.Optional(Type.Boolean()),
    users: Type.Optional(Type.Array(BootstrapUser)),
    apiKeys: Type.Optional(Type.Array(BootstrapApiKey)),
    settings: Type.Optional(Type.Unsafe<TenantSettingsPatch>({ type: 'object' })),
    pack: Type.Optional(text(120)),
    // Switches single sign-on off (docs/design/api-access.md 22); only an admin switches it on.
    sso: Type.Optional(Type.Object({ enabled: Type.Literal(false) }, closed)),
  },
  closed,
);
export type BootstrapUser = Static<typeof BootstrapUser>;
export type BootstrapTenant = Static<typeof BootstrapTenant>;

/** Content of BOOTSTRAP_FILE (docs/design/api-access.md 5.1). */
const BootstrapFile = Type.Object({ tenants: Type.Array(BootstrapTenant) }, closed);
export type BootstrapFile = Static<typeof BootstrapFile>;

/**
 * Checks the whole file before anything is written: form, settings, and that names, addresses and keys are unique.
 * Problems have the JSON Pointer of their place.
 */
export function readBootstrap(
  value: unknown,
  packKeys: readonly string[],
): { file: BootstrapFile } | { problems: ErrorEntry[] } {
  if (!Value.Check(BootstrapFile, value)) return { problems: formProblems(value) };
  const problems = [
    ...value.tenants.flatMap((tenant, index) => tenantProblems(tenant, `/tenants/${index}`, packKeys)),
    ...repeated(
      value.tenants.map((tenant, index) => ({ path: `/tenants/${index}/name`, value: tenant.name })),
      'must not be the name of an earlier tenant in the file',
    ),
    ...repeated(
      value.tenants.flatMap((tenant, index) =>
        (tenant.apiKeys ?? []).map(({ key }, at) => ({ path: `/tenants/${index}/apiKeys/${at}/key`, value: key })),
      ),
      'must not be the key of an earlier tenant in the file',
    ),
  ];
  return problems.length > 0 ? { problems } : { file: value };
}

function formProblems(value: unknown): ErrorEntry[] {
  const found = Value.Errors(BootstrapFile, value).map((error): ErrorEntry => {
    const unknown: unknown = error.keyword === 'additionalProperties' ? error.params.additionalProperties : null;
    return Array.isArray(unknown)
      ? { path: `${error.instancePath}/${unknown.join(', ')}`, message: 'is not a known property' }
      : { path: error.instancePath, message: error.message };
  });
  // Drop what only repeats: every member of a union, and the schema `false` of an unknown property.
  return found.filter(({ message }) => message !== 'schema is false');
}

function tenantProblems(tenant: BootstrapTenant, path: string, packKeys: readonly string[]): ErrorEntry[] {
  const settings = tenant.settings === undefined ? null : readPatch(tenant.settings);
  const inSettings = settings !== null && 'problems' in settings ? settings.problems : [];
  const unknownPack = tenant.pack !== undefined && !packKeys.includes(tenant.pack);
  return [
    ...(tenant.users ?? []).flatMap((user, at) => userProblems(user, `${path}/users/${at}`)),
    ...inSettings.map((problem) => ({ ...problem, path: `${path}/settings${problem.path}` })),
    ...repeated(
      (tenant.users ?? []).map(({ email }, at) => ({ path: `${path}/users/${at}/email`, value: email.toLowerCase() })),
      'must not be an address listed earlier for the tenant',
    ),
    ...(unknownPack ? [{ path: `${path}/pack`, message: `must be one of: ${packKeys.join(', ')}` }] : []),
  ];
}

function userProblems(user: BootstrapUser, path: string): ErrorEntry[] {
  const { password, name, role, unlock } = user;
  const isNamed = password !== undefined || name !== undefined || role !== undefined;
  if (unlock === true && !isNamed) return [];
  return Object.entries({ password, name, role }).flatMap(([property, value]) =>
    value === undefined ? [{ path: `${path}/${property}`, message: 'is required' }] : [],
  );
}

function repeated(values: readonly { readonly path: string; readonly value: string }[], message: string): ErrorEntry[] {
  const seen = new Set<string>();
  return values.flatMap(({ path, value }) => {
    if (seen.has(value)) return [{ path, message }];
    seen.add(value);
    return [];
  });
}
