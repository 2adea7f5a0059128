import type { BlockType } from '@arbiter/contract/catalogue/content';
import type { FieldKind, FieldSpec } from '../../../../forms/editing/field-spec.ts';
import { blockTexts as t } from '../../../../messages/content/blocks.ts';

type Prop = Pick<FieldSpec, 'kind'> & Partial<Pick<FieldSpec, 'options' | 'least' | 'most'>>;

const text: Prop = { kind: 'text' };
const align: Prop = { kind: 'choice', options: ['left', 'center', 'right'] };
const height: Prop = { kind: 'number', least: 0, most: 10_000 };

/** Properties of each type that are edited in a field of their own, in order. `items` and `widths` have controls. */
const props: Readonly<Record<BlockType, Readonly<Record<string, Prop>>>> = {
  heading: { text, level: { kind: 'integer', least: 1, most: 6 }, align },
  text: { text: { kind: 'longText' }, align },
  image: { imageUrl: text, alt: text, linkUrl: text, width: { kind: 'number', least: 1, most: 10_000 } },
  button: { text, url: text, style: { kind: 'choice', options: ['primary', 'secondary'] } },
  divider: { height },
  spacer: { height },
  html: { html: { kind: 'longText' } },
  columns: {},
  column: {},
  offer: {
    fields: { kind: 'choices', options: ['name', 'shortDesc', 'description', 'imageUrl', 'ctaText', 'ctaUrl'] },
  },
  list: { ordered: { kind: 'flag' } },
};

const kindsWithText: ReadonlySet<FieldKind> = new Set(['text', 'longText']);

/** Returns the fields of a block at a pointer. */
export const blockFields = (type: BlockType, pointer: string): readonly FieldSpec[] =>
  Object.entries(props[type]).map(([name, prop]) => ({
    ...prop,
    name,
    path: `${pointer}/props/${name}`,
    label: t.props[name] ?? name,
    help: t.help[`${type}.${name}`] ?? '',
    isRequired: false,
    isNullable: false,
  }));

/** The words of a block for its heading: its first text. */
export function blockSummary(type: BlockType, values: Readonly<Record<string, unknown>> | null | undefined): string {
  const [first] = Object.entries(props[type]).filter(([, { kind }]) => kindsWithText.has(kind));
  const value = first === undefined ? undefined : values?.[first[0]];
  return typeof value === 'string' ? value : '';
}
