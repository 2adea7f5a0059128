import { uiTexts } from '../../messages/ui.ts';
import { cx } from '../cx.ts';
import { type Difference, differences, type Json, pointerText } from './differences.ts';
import { comparedWords } from './words.ts';

export interface DiffProps {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** What the two are: "v3" and "draft". */
  readonly names?: { readonly before: string; readonly after: string };
  /** Label of a place; null: the pointer itself is shown. */
  readonly label?: (pointer: string) => string | null;
  /** Text of a value in place of its JSON: names in place of ids. */
  readonly write?: (value: Json, pointer: string) => string | null;
}

function written(value: Json | undefined, pointer: string, write: DiffProps['write']): string {
  if (value === undefined) return '';
  const own = write?.(value, pointer);
  if (own !== undefined && own !== null) return own;
  if (value === null) return 'none';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

const removedClass = 'rounded-control bg-block-soft text-ink line-through decoration-block';
const addedClass = 'rounded-control bg-pass-soft text-ink no-underline';

function Value({ text, kind }: { readonly text: string; readonly kind: 'removed' | 'added' }) {
  const Element = kind === 'removed' ? 'del' : 'ins';
  const long = text.includes('\n') || text.length > 80;
  return (
    <Element
      // It scrolls, so the keyboard must reach it.
      tabIndex={long ? 0 : undefined}
      className={cx(
        kind === 'removed' ? removedClass : addedClass,
        long
          ? 'block max-h-60 overflow-auto p-2 font-mono text-caption break-words whitespace-pre-wrap no-underline'
          : 'px-1',
      )}
    >
      {text === '' ? 'empty' : text}
    </Element>
  );
}

function Line({ difference, write }: { readonly difference: Difference; readonly write: DiffProps['write'] }) {
  const { kind, before, after, pointer, added, removed } = difference;
  if (kind === 'set') {
    return (
      <span className="flex flex-wrap gap-1">
        {removed?.map((value) => (
          <Value key={`- ${String(value)}`} kind="removed" text={written(value, pointer, write)} />
        ))}
        {added?.map((value) => (
          <Value key={`+ ${String(value)}`} kind="added" text={written(value, pointer, write)} />
        ))}
      </span>
    );
  }
  if (kind === 'moved') {
    return (
      <span>
        from place {String(before)} to place {String(after)}
      </span>
    );
  }
  if (typeof before === 'string' && typeof after === 'string' && (before.includes(' ') || after.includes(' '))) {
    const pieces = comparedWords(before, after);
    if (pieces?.some((piece) => piece.kind === 'same')) {
      return (
        <span className="whitespace-pre-wrap">
          {pieces.map((piece, at) => {
            const key = at;
            if (piece.kind === 'same') return <span key={key}>{piece.text}</span>;
            return piece.kind === 'removed' ? (
              <del key={key} className={removedClass}>
                {piece.text}
              </del>
            ) : (
              <ins key={key} className={addedClass}>
                {piece.text}
              </ins>
            );
          })}
        </span>
      );
    }
  }
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1.5">
      {before === undefined ? null : <Value kind="removed" text={written(before, pointer, write)} />}
      {before !== undefined && after !== undefined ? (
        <span aria-hidden className="text-faint">
          →
        </span>
      ) : null}
      {after === undefined ? null : <Value kind="added" text={written(after, pointer, write)} />}
    </span>
  );
}

const words = { added: 'added', removed: 'removed', changed: '', moved: 'moved', set: '' };

/** Two states of a record, place by place: removed values are struck through, new ones are next to them, the rest is counted. */
export function Diff({ before, after, names, label, write }: DiffProps) {
  const { found, unchanged } = differences(before, after);
  if (found.length === 0) return <p className="text-soft">{uiTexts.noDifferences}</p>;
  return (
    <div className="@container flex flex-col gap-1 text-dense">
      {names ? (
        <p className="text-caption text-soft">
          From <del className={cx(removedClass, 'px-1')}>{names.before}</del> to{' '}
          <ins className={cx(addedClass, 'px-1')}>{names.after}</ins>
        </p>
      ) : null}
      <dl className="divide-y divide-line">
        {found.map((difference) => (
          <div
            key={`${difference.kind} ${difference.pointer}`}
            className="grid gap-x-4 gap-y-0.5 py-1.5 @md:grid-cols-[minmax(8rem,16rem)_1fr]"
          >
            <dt className="min-w-0 text-soft">
              {label?.(difference.pointer) ?? (pointerText(difference.pointer) || 'value')}
              {words[difference.kind] ? (
                <span className="ms-1.5 text-caption text-faint">{words[difference.kind]}</span>
              ) : null}
            </dt>
            <dd className="min-w-0">
              <Line difference={difference} write={write} />
            </dd>
          </div>
        ))}
      </dl>
      {unchanged > 0 ? (
        <p className="text-caption text-faint">
          {unchanged} {unchanged === 1 ? 'value is' : 'values are'} the same.
        </p>
      ) : null}
    </div>
  );
}
