import { useEffect, useId, useRef, useState } from 'react';
import { conditionInputTexts as t } from '../../../messages/catalogue/condition-input.ts';
import { Button } from '../../../ui/button.tsx';
import { sameValue } from '../changes.ts';
import { ConditionAsText } from '../condition/condition-as-text.tsx';
import type { ConditionContext } from '../condition/condition-context.ts';
import type { ConditionField } from '../condition/condition-fields.ts';
import { GroupRows } from '../condition/condition-group.tsx';
import {
  type ConditionGroup,
  changedAt,
  countLeaves,
  readCondition,
  writeCondition,
} from '../condition/condition-model.ts';
import { fieldId } from '../field-id.ts';
import type { FieldForm } from '../field-props.ts';
import type { FieldSpec } from '../field-spec.ts';

export interface ConditionEditorProps {
  readonly label: string;
  readonly help?: string;
  readonly value: unknown;
  /** Receives the condition in the stored form; null without any part. */
  readonly onChange: (value: unknown) => void;
  readonly fields: readonly ConditionField[];
  /** What's wrong, by pointer from the condition: `/conditions/0/value`. */
  readonly errors?: ReadonlyMap<string, string>;
  /** Operators that may be used; default: all but regular expressions. */
  readonly operators?: ReadonlySet<string>;
  /** True: one list without groups inside, as flow nodes take. */
  readonly isFlat?: boolean;
  readonly id?: string;
  /** Shown without conditions. */
  readonly emptyText?: string;
}

const noErrors: ReadonlyMap<string, string> = new Map();

/**
 * Edits a condition: groups of all or any, fields suggested from schemas, operators that fit their type, values suggested from
 * statistics, and a text form to paste.
 */
export function ConditionEditor(props: ConditionEditorProps) {
  const { label, help, value, onChange, fields, errors = noErrors, operators, isFlat = false, emptyText } = props;
  const ownId = useId();
  const id = props.id ?? ownId;
  const [asText, setAsText] = useState(false);
  const { box, focus } = useFocusAfter();
  // Parts that the API wouldn't take yet, such as an empty group, are only here.
  const [edited, setEdited] = useState<{ readonly from: unknown; readonly tree: ConditionGroup } | null>(null);
  const tree = edited !== null && sameValue(edited.from, value) ? edited.tree : readCondition(value);
  const put = (next: ConditionGroup) => {
    const written = next.parts.length === 0 ? null : writeCondition(next);
    setEdited({ from: written, tree: next });
    onChange(written);
  };
  const context: ConditionContext = {
    ...{ fields, operators, isFlat, id, focus },
    errorAt: (pointer) => errors.get(pointer),
    change: (place, change) => put(changedAt(tree, place, change)),
  };
  const isEmpty = countLeaves(tree) === 0;
  const whole = errors.get('');
  return (
    <fieldset ref={box} className="flex min-w-0 flex-col gap-2" id={id} tabIndex={-1}>
      <legend className="pb-1 text-dense font-medium text-ink">{label}</legend>
      {asText ? (
        <ConditionAsText
          condition={tree}
          onApply={(next) => {
            put(next);
            setAsText(false);
          }}
          onCancel={() => setAsText(false)}
        />
      ) : (
        <>
          {isEmpty ? <p className="text-caption text-soft">{emptyText ?? t.everyone}</p> : null}
          <GroupRows node={tree} place={[]} context={context} whole={tree} />
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Button size="small" kind="quiet" onClick={() => setAsText(true)}>
              {t.asText}
            </Button>
            {isEmpty ? null : <p className="text-caption text-soft">{t.missing}</p>}
          </div>
        </>
      )}
      {whole !== undefined ? (
        <p className="text-caption text-block first-letter:uppercase">{whole}</p>
      ) : help === undefined ? null : (
        <p className="text-caption text-soft">{help}</p>
      )}
    </fieldset>
  );
}

/** Moves the focus to a control inside that the next render draws. */
function useFocusAfter() {
  const box = useRef<HTMLFieldSetElement>(null);
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    box.current?.querySelector<HTMLElement>(`[id="${CSS.escape(wanted.current)}"]`)?.focus();
    wanted.current = null;
  });
  const focus = (id: string): void => {
    wanted.current = id;
  };
  return { box, focus };
}

export interface ConditionInputProps
  extends Pick<ConditionEditorProps, 'fields' | 'operators' | 'isFlat' | 'emptyText'> {
  readonly form: FieldForm;
  readonly field: FieldSpec;
}

/** A property of a form that holds a condition. */
export function ConditionInput({ form, field, ...rest }: ConditionInputProps) {
  const { path, label, help } = field;
  const errors = new Map(
    [...form.errors]
      .filter(([at]) => at === path || at.startsWith(`${path}/`))
      .map(([at, message]) => [at.slice(path.length), message]),
  );
  return (
    <ConditionEditor
      {...rest}
      {...{ label, errors }}
      {...(help === '' ? {} : { help })}
      id={fieldId(path)}
      value={form.valueAt(path)}
      onChange={(value) => form.set(path, value)}
    />
  );
}
