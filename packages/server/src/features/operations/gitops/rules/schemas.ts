import { SchemaFieldDefinition } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import Value from 'typebox/value';
import { draftFields } from '../../../catalogue/schemas/index.ts';
import { type Members, membersOf, sameJson } from '../json.ts';
import type { FileProblem, KindRules, RuleContext, WantedBody } from './kind-rules.ts';

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const fieldsOf = (body: Members): readonly Members[] => listOf(body.fields).map((field) => membersOf(field));

/** The column's type. Changing it recreates the column. */
const columnProperties = [
  'dataType',
  'length',
  'precision',
  'scale',
  'isNullable',
  'isUnique',
  'isPrimaryKey',
  'defaultValue',
];

/** A field as a file has it: what differs from a plain nullable column. */
function shortField(field: Members): Members {
  const { id: _id, schemaId: _schema, ordinal: _ordinal, ...said } = field;
  const isKey = said.isPrimaryKey === true;
  const usual = (name: string, value: Json): boolean => {
    if (value === null) return true;
    if (name === 'isNullable') return value === !isKey;
    if (name === 'isUnique' && isKey) return value === true;
    if (name === 'displayName') return value === said.name;
    if (name === 'description') return value === '';
    return value === false && name.startsWith('is') ? true : name === 'neverStore' && value === false;
  };
  return Object.fromEntries(Object.entries(said).filter(([name, value]) => !usual(name, value)));
}

function shortened(body: Members): Members {
  const { fields, ...rest } = body;
  const short = listOf(fields).map((field) => shortField(membersOf(field)));
  return short.length === 0 ? rest : { ...rest, fields: short };
}

/** The definitions as the server would store them; null when they are not definitions. */
function readFields(body: Members): ReturnType<typeof draftFields> | null {
  const fields: readonly unknown[] = listOf(body.fields);
  return fields.every(isDefinition) ? draftFields(fields) : null;
}

const isDefinition = (field: unknown): field is SchemaFieldDefinition => Value.Check(SchemaFieldDefinition, field);

interface FieldPlan {
  readonly dropped: readonly Members[];
  readonly replaced: readonly string[];
  readonly added: readonly string[];
  readonly described: readonly string[];
}

const nameOf = (field: Members): string => String(field.name);

function compare(current: Members, wanted: Members): FieldPlan {
  const before = new Map(fieldsOf(current).map((field) => [nameOf(field), field]));
  const after = new Map(fieldsOf(wanted).map((field) => [nameOf(field), field]));
  const both = [...after].flatMap(([name, field]) => {
    const old = before.get(name);
    return old === undefined ? [] : [{ name, old: shortField(old), field }];
  });
  const isReplaced = ({ old, field }: { old: Members; field: Members }) =>
    columnProperties.some((property) => !sameJson(old[property], field[property]));
  return {
    dropped: [...before].flatMap(([name, field]) => (after.has(name) ? [] : [field])),
    replaced: both.filter(isReplaced).map(({ name }) => name),
    added: [...after.keys()].filter((name) => !before.has(name)),
    described: both.filter((pair) => !isReplaced(pair) && !sameJson(pair.old, pair.field)).map(({ name }) => name),
  };
}

/** True when the columns of a table that is there change. */
const changesColumns = (current: Members, wanted: Members): boolean => {
  const { dropped, replaced, added } = compare(current, wanted);
  return dropped.length + replaced.length + added.length > 0;
};

async function changeFields(
  current: { readonly id: string; readonly record: Members },
  wanted: WantedBody,
  context: RuleContext,
): Promise<'update' | 'replace'> {
  const plan = compare(current.record, wanted.body);
  const ids = new Map(fieldsOf(current.record).map((field) => [nameOf(field), String(field.id)]));
  const definitions = new Map(fieldsOf(wanted.values).map((field) => [nameOf(field), field]));
  const removedNames = [...plan.dropped.map(nameOf), ...plan.replaced];
  for (const name of removedNames) {
    await context.call('schemas.deleteField', { query: { fieldId: ids.get(name) ?? '' } });
    ids.delete(name);
  }
  for (const name of [...plan.replaced, ...plan.added]) {
    const createdField = await context.call('schemas.createField', {
      body: { ...membersOf(definitions.get(name)), schemaId: current.id },
    });
    ids.set(name, String(membersOf(createdField).id));
  }
  const order = [...ids.keys()];
  for (const [at, name] of [...definitions.keys()].entries()) {
    const isMoved = order[at] !== name;
    if (!isMoved && !plan.described.includes(name)) continue;
    const { displayName, description, isPredictor, neverStore, isSensitive } = membersOf(definitions.get(name));
    const described = plan.described.includes(name)
      ? {
          displayName: displayName ?? name,
          description: description ?? '',
          isPredictor: isPredictor ?? false,
          neverStore: neverStore ?? false,
          ...(isSensitive === undefined ? {} : { isSensitive }),
        }
      : {};
    await context.call('schemas.updateField', {
      body: { fieldId: ids.get(name) ?? '', ...described, ...(isMoved ? { ordinal: at } : {}) },
    });
    order.splice(order.indexOf(name), 1);
    order.splice(at, 0, name);
  }
  return plan.replaced.length > 0 ? 'replace' : 'update';
}

/** Fields are columns: changes are reported field by field, and losing data needs confirmation. */
export const schemaRules: KindRules = {
  toFile: (body) => shortened(body),
  normalise(body) {
    const read = readFields(body);
    if (read === null || read.problems.length > 0) return body;
    const fields = read.drafts.map((draft): Json => ({ ...draft }));
    return shortened({ ...body, fields });
  },
  problems(body): readonly FileProblem[] {
    // What is no list of definitions, the schema of the operation refuses.
    return (readFields(body)?.problems ?? []).map(({ path, message }) => ({ pointer: path, message }));
  },
  changes: ['fields'],
  blocks: (current, wanted) => wanted === null || changesColumns(current.record, wanted),
  losesData(current, wanted) {
    if (wanted === null) return { pointer: '', message: 'would be deleted with all rows of its table' };
    const { dropped, replaced } = compare(current.record, wanted);
    const [name] = [...dropped.map(nameOf), ...replaced];
    if (name === undefined) return null;
    return { pointer: '/fields', message: `would lose the data of column ${name}` };
  },
  additions(current, wanted) {
    const { dropped, replaced, added } = compare(current.record, wanted.body);
    if (dropped.length + replaced.length === 0 || added.length === 0) return null;
    const withNewFields = (body: Members): Members => {
      const fresh = fieldsOf(body).filter((field) => added.includes(nameOf(field)));
      return { ...body, fields: [...fieldsOf(current.body), ...fresh] };
    };
    return { ...wanted, body: withNewFields(wanted.body), values: withNewFields(wanted.values) };
  },
  async update(current, wanted, names, context, update) {
    const action = names.includes('fields') ? await changeFields(current, wanted, context) : 'update';
    const rest = names.filter((name) => name !== 'fields');
    if (rest.length > 0) await update(rest);
    return action;
  },
};
