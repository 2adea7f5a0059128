import { blockTypes, type ContentBlock, maxBlocks } from '@arbiter/contract/catalogue/content';
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { fieldId } from '../../../../forms/editing/field-id.ts';
import type { FieldInputProps } from '../../../../forms/editing/field-props.ts';
import { FieldInput } from '../../../../forms/editing/inputs/field-input.tsx';
import type { RecordForm } from '../../../../forms/editing/use-record-form.ts';
import { TokenField } from '../../../../forms/texts/token-field.tsx';
import { useTokenWords } from '../../../../forms/texts/use-token-words.ts';
import { blockTexts as t } from '../../../../messages/content/blocks.ts';
import { Button } from '../../../../ui/button.tsx';
import { TextAreaField, TextField } from '../../../../ui/field.tsx';
import { Menu } from '../../../../ui/overlays/menu.tsx';
import { variablesOf } from '../variables.ts';
import { blockFields, blockSummary } from './block-fields.ts';
import {
  type BlockPlace,
  blockCount,
  columnBounds,
  newBlock,
  typesFor,
  withBlock,
  withColumns,
  withMoved,
  withoutBlock,
} from './block-tree.ts';

const path = '/blocks';
const pointerOf = (place: BlockPlace): string => `${path}/${place.join('/children/')}`;

export const blocksIn = (form: RecordForm): readonly ContentBlock[] => {
  const value = form.valueAt(path);
  return Array.isArray(value) ? (value as ContentBlock[]) : [];
};

/** The parts of the body, in order. Buttons move them, so no gesture is needed. */
export function BlocksInput({ form }: { readonly form: RecordForm }) {
  const blocks = blocksIn(form);
  const error = form.errors.get(path);
  return (
    <div id={fieldId(path)} tabIndex={-1} className="flex min-w-0 flex-col gap-3">
      <p className="text-caption text-soft">{t.lead}</p>
      {error === undefined ? null : <p className="text-caption text-block first-letter:uppercase">{error}</p>}
      <BlockList form={form} blocks={blocks} parent={[]} isFull={blockCount(blocks) >= maxBlocks} />
    </div>
  );
}

interface BlockListProps {
  readonly form: RecordForm;
  readonly blocks: readonly ContentBlock[];
  readonly parent: BlockPlace;
  readonly isFull: boolean;
}

function BlockList({ form, blocks, parent, isFull }: BlockListProps) {
  const all = blocksIn(form);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {blocks.map((block, at) => (
        <BlockCard
          key={block.id ?? at}
          {...{ form, block, isFull }}
          place={[...parent, at]}
          last={at === blocks.length - 1}
        />
      ))}
      <div>
        <Menu
          align="start"
          trigger={
            <Button size="small" icon={<Plus aria-hidden className="size-4" />} disabledReason={isFull ? t.full : null}>
              {t.add}
            </Button>
          }
          items={typesFor(blockTypes, parent).map((type) => ({
            label: t.types[type],
            act: () => form.set(path, withBlock(all, parent, newBlock(type))),
          }))}
        />
      </div>
    </div>
  );
}

interface BlockCardProps {
  readonly form: RecordForm;
  readonly block: ContentBlock;
  readonly place: BlockPlace;
  readonly last: boolean;
  readonly isFull: boolean;
}

function BlockCard({ form, block, place, last, isFull }: BlockCardProps) {
  const all = blocksIn(form);
  const pointer = pointerOf(place);
  const { type, props } = block;
  const name = t.numbered(t.types[type], place.map((at) => at + 1).join('.'));
  const error =
    form.errors.get(`${pointer}/type`) ?? form.errors.get(`${pointer}/props`) ?? form.errors.get(`${pointer}/id`);
  const at = place.at(-1) ?? 0;
  return (
    <fieldset id={fieldId(pointer)} className="flex min-w-0 flex-col gap-2 rounded-control border border-line p-3">
      <legend className="hidden-text">{name}</legend>
      <div className="flex min-w-0 items-center gap-1">
        <p aria-hidden className="min-w-0 grow truncate text-dense">
          <span className="font-medium">{t.types[type]}</span>{' '}
          <span className="text-soft" dir="auto">
            {props === null ? t.removed : blockSummary(type, props)}
          </span>
        </p>
        <Button
          kind="quiet"
          size="small"
          icon={<ArrowUp aria-hidden className="size-4" />}
          aria-label={t.up(name)}
          disabledReason={at === 0 ? t.isFirst : null}
          onClick={() => form.set(path, withMoved(all, place, -1))}
        />
        <Button
          kind="quiet"
          size="small"
          icon={<ArrowDown aria-hidden className="size-4" />}
          aria-label={t.down(name)}
          disabledReason={last ? t.isLast : null}
          onClick={() => form.set(path, withMoved(all, place, 1))}
        />
        <Button
          kind="quiet"
          size="small"
          icon={<Trash2 aria-hidden className="size-4" />}
          aria-label={t.remove(name)}
          onClick={() => form.set(path, withoutBlock(all, place))}
        />
      </div>
      {error === undefined ? null : <p className="text-caption text-block first-letter:uppercase">{error}</p>}
      {props === null ? (
        <p className="text-caption text-soft">{t.removedText}</p>
      ) : (
        <>
          {blockFields(type, pointer).map((field) => (
            <BlockField key={field.path} form={form} field={field} />
          ))}
          {type === 'list' ? <ItemsInput form={form} pointer={`${pointer}/props/items`} /> : null}
          {type === 'columns' ? <Columns {...{ form, block, place, isFull }} /> : null}
        </>
      )}
    </fieldset>
  );
}

/** A property of a block. Texts complete tokens. */
function BlockField({ form, field }: FieldInputProps) {
  const words = useTokenWords(variablesOf(form.valueAt('/personalization')).map(({ name }) => name));
  const { path: pointer, kind, label, help } = field;
  if (kind !== 'text' && kind !== 'longText') return <FieldInput form={form} field={field} optionLabels={t.options} />;
  const value = form.valueAt(pointer);
  return (
    <TokenField
      id={fieldId(pointer)}
      label={label}
      help={help === '' ? undefined : help}
      error={form.errors.get(pointer)}
      isLong={kind === 'longText'}
      words={words}
      value={typeof value === 'string' ? value : ''}
      onChange={(next) => form.set(pointer, next)}
    />
  );
}

/** Entries of a list, one in each line. */
function ItemsInput({ form, pointer }: { readonly form: RecordForm; readonly pointer: string }) {
  const value = form.valueAt(pointer);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <TextAreaField
      id={fieldId(pointer)}
      label={t.items}
      help={t.itemsHelp}
      error={form.errors.get(pointer)}
      value={items.join('\n')}
      onChange={({ target }) => form.set(pointer, target.value === '' ? [] : target.value.split('\n'))}
    />
  );
}

/** Columns next to each other, each with blocks of its own. */
function Columns({ form, block, place, isFull }: Omit<BlockCardProps, 'last'>) {
  const all = blocksIn(form);
  const pointer = pointerOf(place);
  const columns = block.children ?? [];
  const error = form.errors.get(`${pointer}/children`);
  const change = (count: number) => form.set(path, withColumns(all, place, count));
  return (
    <>
      <WidthsInput form={form} pointer={`${pointer}/props/widths`} count={columns.length} />
      {error === undefined ? null : <p className="text-caption text-block first-letter:uppercase">{error}</p>}
      {columns.map((column, at) => (
        <section
          // biome-ignore lint/suspicious/noArrayIndexKey: columns are identified by position
          key={at}
          aria-label={t.column(at + 1)}
          className="flex min-w-0 flex-col gap-2 border-s-2 border-line-strong ps-3"
        >
          <p className="text-caption font-medium text-soft">{t.column(at + 1)}</p>
          <BlockList form={form} blocks={column.children ?? []} parent={[...place, at]} isFull={isFull} />
        </section>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button
          size="small"
          disabledReason={columns.length >= columnBounds.most ? t.maxColumns : isFull ? t.full : null}
          onClick={() => change(columns.length + 1)}
        >
          {t.addColumn}
        </Button>
        <Button
          size="small"
          disabledReason={columns.length <= columnBounds.least ? t.minColumns : null}
          onClick={() => change(columns.length - 1)}
        >
          {t.removeColumn}
        </Button>
      </div>
    </>
  );
}

interface WidthsInputProps {
  readonly form: RecordForm;
  readonly pointer: string;
  readonly count: number;
}

/** Widths of columns in percent, separated by commas. Empty: equal widths. */
function WidthsInput({ form, pointer, count }: WidthsInputProps) {
  const value = form.valueAt(pointer);
  const widths: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <TextField
      id={fieldId(pointer)}
      label={t.widths}
      help={t.widthsHelp(count)}
      error={form.errors.get(pointer)}
      inputMode="numeric"
      key={widths.length}
      defaultValue={widths.join(', ')}
      onBlur={({ target }) => {
        const parts = target.value.split(/[,\s]+/).filter((part) => part !== '');
        form.set(
          pointer,
          parts.length === 0 ? undefined : parts.map((part) => (Number.isNaN(Number(part)) ? part : Number(part))),
        );
      }}
    />
  );
}
