import type { KindOfProvider } from '@arbiter/contract/operations/notifications';
import type { Values } from '../../forms/editing/changes.ts';
import type { FieldKind, FieldSpec } from '../../forms/editing/field-spec.ts';
import { destinationTexts as t } from '../../messages/access/destinations.ts';

type ConfigField = KindOfProvider['fields'][number];

function kindOf({ type, secret }: ConfigField): FieldKind {
  if (type === 'emails') return 'texts';
  if (type === 'headers') return 'map';
  return secret ? 'secret' : 'text';
}

const lookUp = (texts: object, name: string): string | undefined => Reflect.get(texts, name);

/** The fields of a destination's config, as the API describes its kind. */
export const configFields = ({ kind, fields }: KindOfProvider): readonly FieldSpec[] =>
  fields.map((field) => ({
    name: field.name,
    path: `/config/${field.name}`,
    kind: kindOf(field),
    label: lookUp(t.labels, field.name) ?? field.label,
    help: lookUp(t.help[kind], field.name) ?? '',
    isRequired: field.required,
    isNullable: true,
  }));

/** Pointers of values that the browser must not store. */
export const secretsOf = ({ fields }: KindOfProvider): readonly string[] =>
  fields.filter(({ secret }) => secret).map(({ name }) => `/config/${name}`);

/** Returns the config to send. Removed values are null, because the API removes nothing else. */
export const configToSend = (kind: KindOfProvider, config: Values, stored: Values): Values =>
  Object.fromEntries(
    kind.fields.flatMap(({ name }) => {
      const value = config[name] === '' ? undefined : config[name];
      return value === undefined ? (stored[name] === undefined ? [] : [[name, null]]) : [[name, value]];
    }),
  );
