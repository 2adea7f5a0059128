import Type, { type Static, type TProperties } from 'typebox';

// Transforms of pipelines (docs/design/api-catalogue.md 15).

/** Maximum transforms of a pipeline. */
export const maxTransforms = 50;
const maxColumns = 500;

const column = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });
const columns = (description: string, minItems = 1) =>
  Type.Array(column('Name of a column.'), { minItems, maxItems: maxColumns, uniqueItems: true, description });
const scalar = (description: string) =>
  Type.Union([Type.String({ maxLength: 10_000 }), Type.Number(), Type.Boolean(), Type.Null()], { description });

const transform = <const Op extends string, P extends TProperties>(op: Op, description: string, properties: P) =>
  Type.Object({ op: Type.Literal(op, { description }), ...properties }, { additionalProperties: false, description });

export const PipelineTransform = Type.Union(
  [
    transform('rename', 'Renames columns.', {
      map: Type.Record(Type.String({ minLength: 1, maxLength: 255 }), column('New name.'), {
        minProperties: 1,
        maxProperties: maxColumns,
        description: 'New names by current name.',
      }),
    }),
    transform('keep', 'Keeps only these columns.', { columns: columns('Columns to keep.') }),
    transform('drop', 'Drops columns.', { columns: columns('Columns to drop.') }),
    transform('cast', 'Converts the values of a column. A value that does not fit is a problem of its row.', {
      column: column('Column to convert.'),
      dataType: Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'A data type of schemas, such as `integer`, `numeric(10,2)` or `date`.',
      }),
    }),
    transform('add_field', 'Sets a column. Exactly one of `formula` and `value` is required.', {
      column: column('Column to set. Replaces existing values.'),
      formula: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 2000,
          description: 'Formula over the row: `amount * 1.19` or `customer.amount * 1.19`.',
        }),
      ),
      value: Type.Optional(scalar('The same value for every row.')),
    }),
    transform('map_values', 'Replaces values of a column.', {
      column: column('Column to change.'),
      map: Type.Record(Type.String({ maxLength: 255 }), scalar('New value.'), {
        maxProperties: 1000,
        description: 'New values by current value, as text.',
      }),
      default: Type.Optional(scalar('Value for all others. Default: they stay.')),
    }),
    transform('filter', 'Drops rows that do not match.', {
      condition: Type.Unknown({
        description: 'Rows to keep: groups `{ logic, conditions }` of `{ field, operator, value }` over the columns.',
      }),
    }),
    transform('trim', 'Removes white space at both ends.', { columns: columns('Columns to change.') }),
    transform('lower', 'Converts text to lower case.', { columns: columns('Columns to change.') }),
    transform('upper', 'Converts text to upper case.', { columns: columns('Columns to change.') }),
    transform('split', 'Splits the text of a column into several. The last one gets the rest.', {
      column: column('Column to split. Its value is unchanged.'),
      separator: Type.String({ minLength: 1, maxLength: 32, description: 'Text between the parts.' }),
      into: columns('Columns for the parts.', 2),
    }),
    transform('merge', 'Joins the values of several columns. Missing values are left out.', {
      columns: columns('Columns to join, in this order. They stay as they are.', 2),
      separator: Type.String({ maxLength: 32, description: 'Text between the values.' }),
      into: column('Column for the text.'),
    }),
    transform('hash', "Replaces values by their SHA-256, keyed with the tenant's key, as 64 hex digits.", {
      columns: columns('Columns to change.'),
    }),
    transform('mask', 'Replaces all but the last characters by `*`.', {
      columns: columns('Columns to change.'),
      keepLast: Type.Integer({ minimum: 0, maximum: 100, description: 'Characters to keep. 0 to 100.' }),
    }),
    transform('deduplicate', 'Drops rows whose values in these columns have occurred before in the run.', {
      columns: columns('Columns to compare.'),
    }),
  ],
  { description: 'One step, named by `op`.' },
);
export type PipelineTransform = Static<typeof PipelineTransform>;
export type TransformOp = PipelineTransform['op'];
