import type { TSchema } from 'typebox';
import { type Json, type JsonObject, pascal } from '../shared-schemas.ts';
import { type ConfigShape, configShapes } from './config-shapes.generated.ts';
import { channelProviders, ProviderConfig, providerKeys } from './provider-configs.ts';

/** The name of a record's or node's type, and its config's title: `FrequencyCapConfig`. */
const families: Readonly<Record<string, { readonly by: string; readonly title: string }>> = {
  policies: { by: 'ruleType', title: 'PolicyConfig' },
  rules: { by: 'ruleType', title: 'RuleConfig' },
  models: { by: 'modelType', title: 'ModelConfig' },
};

/** A schema as plain JSON: without the library's hidden markers, and with the configs that it only names (`configs`). */
export function plainSchema(schema: TSchema): JsonObject {
  return withConfigs(JSON.parse(JSON.stringify(schema))) as JsonObject;
}

function withConfigs(value: Json): Json {
  if (Array.isArray(value)) return value.map(withConfigs);
  if (typeof value !== 'object' || value === null) return value;
  const { configs, ...rest } = value;
  const plain = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, withConfigs(part)]));
  return typeof configs === 'string' ? { ...plain, ...unionOf(configs) } : plain;
}

function unionOf(name: string): JsonObject {
  if (name === 'providers') return providerUnion();
  if (name === 'nodes') return flowSchema();
  const family = families[name];
  if (family === undefined) throw new Error(`there are no configs of the family ${name}`);
  const anyOf = Object.entries(configShapes[name] ?? {}).map(([type, shape]) => ({
    title: `${pascal(type)}${family.title}`,
    description: `If ${family.by} is \`${type}\`.`,
    ...objectOf(shape),
  }));
  return { anyOf };
}

const objectOf = ({ fields, required }: ConfigShape): JsonObject => ({
  type: 'object',
  properties: fields,
  ...(required.length === 0 ? {} : { required: [...required] }),
});

/** A flow whose nodes are a union by type. */
function flowSchema(): JsonObject {
  const node = Object.entries(configShapes.nodes ?? {}).map(([type, shape]) => ({
    title: `${pascal(type)}Node`,
    type: 'object',
    description: `A node of type \`${type}\`.`,
    properties: {
      id: { type: 'string', description: 'Unique in the flow.' },
      type: { const: type, description: 'Type of the node.' },
      enabled: { type: 'boolean', default: true, description: 'False: the node is skipped.' },
      config: { ...objectOf(shape), description: 'Settings of the node type.' },
    },
    required: ['id', 'type'],
  }));
  return {
    properties: {
      version: { const: 2, description: 'Always 2.' },
      nodes: {
        type: 'array',
        items: { oneOf: node, discriminator: { propertyName: 'type' } },
        description: 'Nodes in order.',
      },
      flowConfig: { type: 'object', additionalProperties: true, description: 'Settings of the flow.' },
    },
  };
}

/** The keys of each provider, from the schema that every config is checked with. */
function providerUnion(): JsonObject {
  const all: JsonObject = JSON.parse(JSON.stringify(ProviderConfig.properties));
  const oneOf = channelProviders.map((provider) => ({
    title: `${pascal(provider)}ProviderConfig`,
    type: 'object',
    description: `If the provider is \`${provider}\`.`,
    properties: {
      ...Object.fromEntries([...providerKeys.common, ...providerKeys[provider]].map((key) => [key, all[key] ?? {}])),
      provider: { const: provider, description: 'Provider that sends.' },
    },
    required: ['provider'],
    additionalProperties: false,
  }));
  const none = {
    title: 'NoProviderConfig',
    type: 'object',
    maxProperties: 0,
    description: 'Empty when the channel has no provider.',
  };
  return { anyOf: [...oneOf, none], discriminator: { propertyName: 'provider' } };
}
