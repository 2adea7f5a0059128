import type { ConfigField, ConfigShape } from '../compile/config-fields.ts';
import { flowConfigKeys } from '../flow-validation/validate-flow.ts';
import type { Json } from '../plan/snapshot.ts';
import type { AcceptedValue, KeyCheck } from './node-keys.ts';
import { type NodeType, nodeKinds } from './node-kinds.ts';
import { nodeTexts } from './node-texts.ts';

type Keys = Readonly<Record<string, KeyCheck>>;

/** The configs of all node types for the API documentation: what the checks accept, and what it means. */
export const nodeShapes = Object.fromEntries(
  [...nodeKinds].map(([type, { keys, required }]) => [type, { fields: fieldsOf(keys, type), required }]),
) as Readonly<Record<NodeType, ConfigShape>>;

const { scoring: _, ...flowKeys } = flowConfigKeys;

/** The settings of a flow besides its nodes, for the same use. `scoring` has the keys of a score node. */
export const flowSettingsShape: ConfigShape = { fields: fieldsOf(flowKeys, 'flow'), required: [] };

function fieldsOf(keys: Keys, path: string): Record<string, ConfigField> {
  return Object.fromEntries(
    Object.entries(keys).map(([key, check]) => {
      const place = `${path}.${key}`;
      const description = nodeTexts[place] ?? nodeTexts[`${path}.*`] ?? '';
      return [key, { ...schemaOf(check.takes ?? {}, place), description }];
    }),
  );
}

function schemaOf(
  { schema, keys, required = [], maxItems }: AcceptedValue,
  place: string,
): Readonly<Record<string, Json>> {
  if (keys === undefined || schema !== undefined) return schema ?? {};
  // Fields are plain JSON, whose type allows missing properties.
  const properties = fieldsOf(keys, place) as unknown as Json;
  const object = { type: 'object', properties, ...(required.length === 0 ? {} : { required: [...required] }) };
  return maxItems === undefined ? object : { type: 'array', maxItems: maxItems, items: object };
}
