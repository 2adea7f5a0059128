import {
  type ConnectorAuthMethod,
  type ConnectorConfigKey,
  type ConnectorFormField,
  type ConnectorKey,
  type ConnectorType,
  type ConnectorTypeDescription,
  type ConnectorTypeInfo,
  connectorAuthFields,
  connectorConfigKeys,
  connectorTypeInfo,
  connectorTypeNames,
} from '@arbiter/contract';
import { isSecretKey } from './secrets.rules.ts';

const isConfigKey = (name: string): name is ConnectorConfigKey => Object.hasOwn(connectorConfigKeys, name);

function keyOf(name: ConnectorConfigKey, { resources, regions, port }: ConnectorTypeInfo): ConnectorKey {
  const { label } = connectorConfigKeys[name];
  if (name === 'resource' && resources !== undefined) {
    return { label, type: 'choice', default: resources[0], options: resources };
  }
  if (name === 'region' && regions !== undefined) {
    return { label, type: 'choice', default: regions[0], options: regions };
  }
  if (name === 'port' && port !== undefined) return { label, type: 'number', default: port };
  return connectorConfigKeys[name];
}

function field(
  name: string,
  { label, type, default: byDefault = null, options = [] }: Omit<ConnectorKey, 'default'> & { default?: unknown },
  more: Pick<ConnectorFormField, 'in' | 'required' | 'secret' | 'authMethods'>,
): ConnectorFormField {
  const plain = typeof byDefault === 'object' ? null : (byDefault as string | number | boolean);
  return { name, label, type, default: plain, options: [...options], ...more };
}

/** Fields of the methods; a field that several take is listed once and required if all of them require it. */
function authFields(methods: readonly ConnectorAuthMethod[]): ConnectorFormField[] {
  const found = new Map<string, ConnectorFormField>();
  for (const method of methods) {
    for (const { name, isRequired, isSecret, ...key } of connectorAuthFields[method]) {
      const known = found.get(name);
      const authMethods = [...(known?.authMethods ?? []), method];
      const required = isRequired && (known?.required ?? true);
      found.set(name, field(name, key, { in: 'authConfig', required, secret: isSecret, authMethods }));
    }
  }
  return [...found.values()];
}

function describe(type: ConnectorType): ConnectorTypeDescription {
  const info = connectorTypeInfo(type);
  const single = info.required.filter((key) => typeof key === 'string');
  const names = [...info.required.flat(), ...info.optional];
  return {
    ...{ type, label: info.label, category: info.category, status: info.status },
    requiredConfig: info.required.map((key) => (typeof key === 'string' ? key : [...key])),
    optionalConfig: [...info.optional],
    authMethods: [...info.authMethods],
    defaultAuthMethod: info.authMethods[0],
    fields: [
      ...names.filter(isConfigKey).map((name) =>
        field(name, keyOf(name, info), {
          ...{ in: 'config', authMethods: [] },
          required: single.includes(name),
          secret: isSecretKey(name),
        }),
      ),
      ...authFields(info.authMethods),
    ],
  };
}

/** All types as forms need them (docs/design/api-catalogue.md 14.1). */
export const describedTypes: readonly ConnectorTypeDescription[] = connectorTypeNames.map(describe);

/** Returns the method that the stored word means for a type. */
export function methodOf(type: ConnectorType, stored: ConnectorAuthMethod): ConnectorAuthMethod {
  const { authMethods } = connectorTypeInfo(type);
  return authMethods.includes(stored) ? stored : authMethods[0];
}

/** The contract's default, which every type takes. */
export const anyMethod = 'access_key' satisfies ConnectorAuthMethod;

/** Whether a type takes a method. */
export const takesMethod = (type: ConnectorType, method: ConnectorAuthMethod): boolean =>
  method === anyMethod || connectorTypeInfo(type).authMethods.includes(method);

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Returns the required settings that are missing; alternatives as `path|url`. `config`: with the credentials. */
export function missingConfig(type: ConnectorType, config: Readonly<Record<string, unknown>>): string[] {
  return connectorTypeInfo(type)
    .required.map((key) => (typeof key === 'string' ? [key] : [...key]))
    .filter((keys) => !keys.some((key) => isGiven(config[key])))
    .map((keys) => keys.join('|'));
}
